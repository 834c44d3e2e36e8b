/**
 * Compiles code as the command line is compiled, if the checkout supports compilation. With tsx, a
 * run takes 50 percent longer, because tsx makes esbuild add a call that names a function each time
 * the function is created.
 */
import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

interface Compiler {
  compileSources(packageFolder: string, folder: string, sources: readonly string[]): Promise<void>
  nameOf(source: string): string
}

/** The compiled file for each source, by the source's path in the checkout. */
export type CompiledFiles = Readonly<Record<string, string>>

/** The folder of this checkout. */
export const here = fileURLToPath(new URL('..', import.meta.url))

const ofCheckouts = new Map<string, Promise<CompiledFiles | null>>()

/**
 * The compiled files; null if the command line of the checkout runs from its sources. The files are
 * removed when this process ends.
 */
export function compiled(checkout: string, sources: () => readonly string[]): Promise<CompiledFiles | null> {
  let files = ofCheckouts.get(checkout)
  if (files === undefined) ofCheckouts.set(checkout, (files = compile(checkout, sources())))
  return files
}

async function compile(checkout: string, sources: readonly string[]): Promise<CompiledFiles | null> {
  if (!fs.existsSync(path.join(checkout, 'bin', 'compile.mjs'))) return null
  // Uses the compiler of this checkout, because few other commits can compile only a part of their
  // sources.
  const { compileSources, nameOf }: Compiler = await import(pathToFileURL(path.join(here, 'bin', 'compile.mjs')).href)
  // The folder is named like a folder of compiled code of the command line, so that the command
  // line removes leftovers.
  const folder = path.join(checkout, 'dist', `${randomBytes(4).toString('hex')}-${randomBytes(4).toString('hex')}`)
  process.once('exit', () => fs.rmSync(folder, { recursive: true, force: true }))
  await compileSources(checkout, folder, sources)
  return Object.fromEntries(sources.map((source) => [source, path.join(folder, `${nameOf(source)}.js`)]))
}

/** The V8 flags of the checkout's command line. */
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

/** The programs that the bench starts as separate processes. */
function childrenFiles(): readonly string[] {
  return fs
    .readdirSync(path.join(here, 'bench'), { recursive: true, encoding: 'utf8' })
    .map((name) => `bench/${name.split(path.sep).join('/')}`)
    .filter((name) => name.endsWith('-child.ts'))
}
