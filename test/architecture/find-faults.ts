import { isBuiltin } from 'node:module'
import { transformSync } from 'esbuild'
import { binaries, loadedByPath, mayUseTime, roomOf, roots, rules, timeless } from './rules.ts'
import { type Import, importsOf, type SourceTree } from './source-tree.ts'

const within = (file: string, folder: string) => file === folder || file.startsWith(`${folder}/`)
const isFile = (name: string, tree: SourceTree) => tree.has(name) || /^(?:src|scenarios|implementations)\//.test(name)
const packageOf = (name: string) => name.split('/', name.startsWith('@') ? 2 : 1).join('/')

/** Imports that the table does not allow, each as a sentence. */
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

const timeAndChance =
  /new Date\(\)|\b(?:Date\.now|Math\.random|set(?:Timeout|Interval|Immediate)|hrtime|performance\.now|random(?:UUID|Bytes|Fill|FillSync|Int)|getRandomValues|AbortSignal\.timeout)\b/g

/** Time and chance of the real machine where they must be passed in. Comments do not count. */
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

/** Files under src that nothing reaches from a root. */
export function deadFiles(tree: SourceTree): string[] {
  const targets = new Map<string, string[]>()
  for (const { from, to } of importsOf(tree)) targets.set(from, [...(targets.get(from) ?? []), to])
  const alive = new Set([...tree.keys()].filter((file) => roots.some((root) => file.startsWith(root))))
  for (const file of alive) for (const target of targets.get(file) ?? []) if (tree.has(target)) alive.add(target)
  return [...tree.keys()].filter((file) => file.startsWith('src/') && !alive.has(file))
}
