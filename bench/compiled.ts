/**
 * Sources of a checkout as its users run them: compiled by its own `bin/compile.mjs`. From its sources, by tsx, a run takes
 * half as long again: tsx has esbuild name each function, by a call whenever it is made.
 */
import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

interface Compiler {
  /** Earlier commits have none: their command line ran from its sources, or they let nobody compile a part. */
  compileSources?(packageFolder: string, folder: string, sources: readonly string[]): Promise<void>
  nameOf(source: string): string
}

/** The compiled files, by their sources as the checkout names them. */
export type CompiledFiles = Readonly<Record<string, string>>

/** Null where the checkout cannot compile its sources. They are gone again when this process ends. */
export async function compiled(checkout: string, sources: readonly string[]): Promise<CompiledFiles | null> {
  const file = path.join(checkout, 'bin', 'compile.mjs')
  if (!fs.existsSync(file)) return null
  const { compileSources, nameOf }: Compiler = await import(pathToFileURL(file).href)
  if (compileSources === undefined) return null
  // Named as what the command line runs from, which removes what was left behind.
  const folder = path.join(checkout, 'dist', `${randomBytes(4).toString('hex')}-${randomBytes(4).toString('hex')}`)
  process.once('exit', () => fs.rmSync(folder, { recursive: true, force: true }))
  await compileSources(checkout, folder, sources)
  return Object.fromEntries(sources.map((source) => [source, path.join(folder, `${nameOf(source)}.js`)]))
}

/** This checkout. */
export const here = fileURLToPath(new URL('..', import.meta.url))

/** What measures in a process of its own. */
const childrenFiles = fs
  .readdirSync(path.join(here, 'bench'), { recursive: true, encoding: 'utf8' })
  .map((name) => `bench/${name.split(path.sep).join('/')}`)
  .filter((name) => name.endsWith('-child.ts'))

/** As the command line of that checkout has V8 compile. */
export async function v8FlagsOf(checkout: string): Promise<readonly string[]> {
  const file = path.join(checkout, 'bin', 'v8-flags.mjs')
  if (!fs.existsSync(file)) return []
  const { v8Flags }: { v8Flags(nodeVersion: string, nodeArguments: readonly string[]): readonly string[] } =
    await import(pathToFileURL(file).href)
  return v8Flags(process.versions.node, [])
}

let children: Promise<CompiledFiles | null> | null = null

/** The compiled file of `bench/<file>`. */
export async function compiledChild(file: string): Promise<string> {
  children ??= compiled(here, childrenFiles)
  return (await children)![`bench/${file}`]!
}
