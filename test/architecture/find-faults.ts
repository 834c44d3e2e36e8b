import { isBuiltin } from 'node:module'
import { transformSync } from 'esbuild'
import { binaries, loadedByPath, mayUseTime, type Room, roomIn, roomOf, roots, rules, timeless } from './rules.ts'
import { type Import, importsOf, type SourceTree } from './source-tree.ts'

const within = (file: string, folder: string) => file === folder || file.startsWith(`${folder}/`)
const isFile = (name: string, tree: SourceTree) => tree.has(name) || /^(?:src|scenarios|implementations)\//.test(name)
const packageOf = (name: string) => name.split('/', name.startsWith('@') ? 2 : 1).join('/')

/** Imports that `rules` does not allow, each as a sentence. */
export function forbiddenArrows(tree: SourceTree): string[] {
  return importsOf(tree).flatMap((one) => {
    const why = reason(one, tree)
    return why === null ? [] : [`${one.from}:${one.line} imports ${one.to}: ${why}`]
  })
}

function reason({ from, to }: Import, tree: SourceTree): string | null {
  const own = roomOf(from)
  const file = isFile(to, tree)
  if (file && !to.endsWith('s')) return 'relative imports end in .ts'
  const byPath = loadedByPath.find((folder) => within(to, folder) && !within(from, folder))
  if (file && byPath !== undefined && !binaries.some((binary) => from.startsWith(binary)))
    return `${byPath} is loaded by path, never imported`
  if (own === null) return from.startsWith('src/') ? 'its own room is not in the table' : null
  const { rooms, packages } = rules[own]!
  if (!file) return isBuiltin(to) || packages.includes(packageOf(to)) ? null : `${own} may not use that package`
  const target = roomOf(to)
  return target !== null && (target === own || rooms.includes(target)) ? null : `${own} may not import ${target ?? to}`
}

/** Imports of the sources of a package by path, from outside of the package. */
export function deepImports(tree: SourceTree): string[] {
  const home = (file: string) => /^packages\/([^/]+)\//.exec(file)?.[1]
  return importsOf(tree).flatMap(({ from, to, line }) => {
    const name = home(to)
    const isDeep = name !== home(from) && /^packages\/[^/]+\/src\//.test(to)
    return isDeep ? [`${from}:${line} imports ${to}: import ${name}`] : []
  })
}

/** Imports by which a package depends on the harness; its tests may use test helpers. */
export function harnessImports(tree: SourceTree): string[] {
  return importsOf(tree).flatMap(({ from, to, line }) =>
    from.startsWith('packages/') && /^(?:src|bench|scenarios|bin)\//.test(to) ? [`${from}:${line} imports ${to}`] : [],
  )
}

const timeAndChance =
  /new Date\(\)|\b(?:Date\.now|Math\.random|set(?:Timeout|Interval|Immediate)|hrtime|performance\.now|random(?:UUID|Bytes|Fill|FillSync|Int)|getRandomValues|AbortSignal\.timeout)\b/g

/**
 * Uses of the real time and randomness in files that must get them as arguments. Comments do not
 * count.
 */
export function realTimeAndChance(tree: SourceTree): string[] {
  const judged = [...tree].filter(
    ([file]) =>
      timeless.some((folder) => within(file, folder)) && !Object.keys(mayUseTime).some((name) => within(file, name)),
  )
  return judged.flatMap(([file, source]) => {
    const { code } = transformSync(source, { loader: file.endsWith('.ts') ? 'ts' : 'js', legalComments: 'none' })
    return [...new Set(code.match(timeAndChance))].map((what) => `${file} uses ${what}: it must be passed in`)
  })
}

/** Import cycles, as `a.ts → b.ts → a.ts`. Type imports do not count. */
export function importCycles(tree: SourceTree): string[] {
  const targets = new Map<string, Set<string>>([...tree.keys()].map((file) => [file, new Set()]))
  for (const { from, to, loads } of importsOf(tree)) if (loads === 'before') targets.get(from)!.add(to)
  return circlesIn(targets)
}

/** Import cycles of folders directly under `root`, as `a → b → a`. Type imports count. */
export function folderCycles(tree: SourceTree, root: string): string[] {
  const folderOf = (file: string) => (within(file, root) ? file.slice(root.length + 1).split('/')[0]! : null)
  const targets = new Map<string, Set<string>>()
  for (const { from, to } of importsOf(tree)) {
    const [own, other] = [folderOf(from), folderOf(to)]
    if (own === null || other === null || own === other) continue
    targets.set(own, (targets.get(own) ?? new Set()).add(other))
  }
  return circlesIn(targets)
}

function circlesIn(targets: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const circles: string[] = []
  const finished = new Set<string>()
  const path: string[] = []
  const visit = (place: string) => {
    if (finished.has(place)) return
    const at = path.indexOf(place)
    if (at !== -1) return void circles.push([...path.slice(at), place].join(' → '))
    path.push(place)
    for (const target of targets.get(place) ?? []) visit(target)
    finished.add(path.pop()!)
  }
  for (const place of targets.keys()) visit(place)
  return circles
}

/**
 * Entries of the table without a counterpart: missing folders and files, and packages that their
 * room does not import.
 */
export function absentFrom(tree: SourceTree, table: Readonly<Record<string, Room>>): string[] {
  const used = importsOf(tree).map(({ from, to }) => `${roomIn(table, from)} ${packageOf(to)}`)
  return Object.entries(table).flatMap(([name, { packages }]) => [
    ...([...tree.keys()].some((file) => within(file, name)) ? [] : [`there is no ${name}`]),
    ...packages.filter((one) => !used.includes(`${name} ${one}`)).map((one) => `${name} never imports ${one}`),
  ])
}

/** Source files that are not reachable from a root. */
export function deadFiles(tree: SourceTree): string[] {
  const targets = new Map<string, string[]>()
  for (const { from, to } of importsOf(tree)) targets.set(from, [...(targets.get(from) ?? []), to])
  const alive = new Set([...tree.keys()].filter((file) => roots.some((root) => file.startsWith(root))))
  for (const file of alive) for (const target of targets.get(file) ?? []) if (tree.has(target)) alive.add(target)
  return [...tree.keys()].filter((file) => /^(?:src|packages\/[^/]+\/src)\//.test(file) && !alive.has(file))
}
