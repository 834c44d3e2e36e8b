/**
 * Code as users run it: compiled as the command line is, where the checkout's command line is
 * compiled. From its sources, by tsx, a run takes half as long again: tsx has esbuild name each
 * function, by a call whenever it is made.
 */
import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

interface Compiler {
  compileSources(packageFolder: string, folder: string, sources: readonly string[]): Promise<void>
  nameOf(source: string): string
}

/** The compiled files, by their sources as the checkout names them. */
export type CompiledFiles = Readonly<Record<string, string>>

/** This checkout. */
export const here = fileURLToPath(new URL('..', import.meta.url))

const ofCheckouts = new Map<string, Promise<CompiledFiles | null>>()

/**
 * Null for a checkout whose command line runs from its sources. The files are gone when this
 * process ends.
 */
export function compiled(checkout: string, sources: () => readonly string[]): Promise<CompiledFiles | null> {
  let files = ofCheckouts.get(checkout)
  if (files === undefined) ofCheckouts.set(checkout, (files = compile(checkout, sources())))
  return files
}

async function compile(checkout: string, sources: readonly string[]): Promise<CompiledFiles | null> {
  if (!fs.existsSync(path.join(checkout, 'bin', 'compile.mjs'))) return null
  // This checkout's, since few commits let somebody compile a part.
  const { compileSources, nameOf }: Compiler = await import(pathToFileURL(path.join(here, 'bin', 'compile.mjs')).href)
  // Named as what the command line runs from, which removes what was left behind.
  const folder = path.join(checkout, 'dist', `${randomBytes(4).toString('hex')}-${randomBytes(4).toString('hex')}`)
  process.once('exit', () => fs.rmSync(folder, { recursive: true, force: true }))
  await compileSources(checkout, folder, sources)
  return Object.fromEntries(sources.map((source) => [source, path.join(folder, `${nameOf(source)}.js`)]))
}

/** As the command line of that checkout has V8 compile. */
export async function v8FlagsOf(checkout: string): Promise<readonly string[]> {
  const file = path.join(checkout, 'bin', 'v8-flags.mjs')
  if (!fs.existsSync(file)) return []
  const { v8Flags }: { v8Flags(nodeVersion: string, nodeArguments: readonly string[]): readonly string[] } =
    await import(pathToFileURL(file).href)
  return v8Flags(process.versions.node, process.execArgv)
}

let children: Promise<CompiledFiles | null> | null = null

/** The compiled file of `bench/<file>`. */
export async function compiledChild(file: string): Promise<string> {
  children ??= compile(here, childrenFiles())
  return (await children)![`bench/${file}`]!
}

/** What measures in a process of its own. */
function childrenFiles(): readonly string[] {
  return fs
    .readdirSync(path.join(here, 'bench'), { recursive: true, encoding: 'utf8' })
    .map((name) => `bench/${name.split(path.sep).join('/')}`)
    .filter((name) => name.endsWith('-child.ts'))
}
