/** From what the user named (ids, paths, globs) to files. */
import fs from 'node:fs'
import path from 'node:path'
import { cellNames, isCellName } from '../campaign/frontier/cell-scenario.ts'
import { catalogue, type Entry, type Kind, packageFolder } from './catalogue.ts'
import { globFiles, globPattern, isGlob } from './glob.ts'
import { suggestion } from './nearest.ts'
import { UsageError } from './usage-error.ts'

/** A file, and the name that tokens and commands know it by: an id of the catalogue, or a path. */
export interface Selected {
  readonly name: string
  readonly path: string
}

/** Answers what a file's default export calls itself. */
export type DeclaredId = (file: string) => Promise<string>

/** @throws UsageError for a name that nothing has, with the nearest ones */
export async function select(kind: Kind, names: readonly string[], declaredId: DeclaredId): Promise<Selected[]> {
  const entries = catalogue(kind)
  const found = new Map<string, Selected>()
  for (const name of names) {
    for (const file of await filesOf(kind, name, entries, declaredId)) found.set(file, selected(file, entries))
  }
  return [...found.values()]
}

async function filesOf(kind: Kind, name: string, entries: readonly Entry[], declaredId: DeclaredId): Promise<string[]> {
  if (isGlob(name)) return filesOfGlob(kind, name, entries)
  if (kind === 'scenario' && isCellName(name)) return [cellNamed(name)]
  const entry = entries.find(({ id }) => id === name)
  if (entry !== undefined) return [entry.path]
  if (/[/\\]|\.[cm]?[jt]s$/.test(name)) {
    const file = path.resolve(name)
    if (fs.statSync(file, { throwIfNoEntry: false })?.isFile()) return [file]
    throw new UsageError(name, `there is no such file; name ${article(kind)} by its id or by its path`)
  }
  for (const { path: file } of entries)
    if (fs.readFileSync(file, 'utf8').includes(name) && (await declaredId(file).catch(() => null)) === name)
      return [file]
  const known = entries.map(({ id }) => id)
  throw new UsageError(`${kind} ${name}`, `there is none; ${suggestion(name, known, '`pnpm sim list` names them all')}`)
}

/** A cell of a frontier has no file; its name stands in for one. */
function cellNamed(name: string): string {
  const names = cellNames()
  if (names.includes(name)) return name
  throw new UsageError(`scenario ${name}`, suggestion(name, names, '`pnpm sim frontier` shows which cells there are'))
}

function filesOfGlob(kind: Kind, glob: string, entries: readonly Entry[]): string[] {
  const pattern = globPattern(glob)
  const known = entries.filter(({ id, path: file }) => pattern.test(id) || pattern.test(inPackage(file)))
  const files = [...new Set([...known.map((entry) => entry.path), ...globFiles(glob).filter(isSource)])]
  if (files.length === 0) throw new UsageError(`${kind} ${glob}`, 'nothing matches; `pnpm sim list` names them all')
  return files
}

function selected(file: string, entries: readonly Entry[]): Selected {
  const entry = entries.find((known) => known.path === file)
  if (entry !== undefined) return { name: entry.id, path: file }
  if (isCellName(file)) return { name: file, path: file }
  const relative = path.relative(process.cwd(), file).split(path.sep).join('/')
  return { name: relative.startsWith('.') ? relative : `./${relative}`, path: file }
}

function inPackage(file: string): string {
  return path.relative(packageFolder, file).split(path.sep).join('/')
}

function isSource(file: string): boolean {
  return /\.[cm]?[jt]s$/.test(file)
}

function article(kind: Kind): string {
  return kind === 'implementation' ? 'an implementation' : 'a scenario'
}
