/**
 * A file of the user's own as one ES module, whatever the package.json beside it says of its
 * ending.
 */
import { createRequire } from 'node:module'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Plugin, ResolveResult } from 'esbuild'
import { LoadError } from './load-error.ts'
import { compileProblem, ownNames, ownSources } from './own-names.ts'

/** The package that compiles a user's file. */
export interface Compiling {
  readonly folder: string
  /** Its own file for each of its names, relative to its folder. */
  readonly subpaths: Readonly<Record<string, string>>
  /**
   * For a file of it the one to import in its place; null for one that can only be compiled as a
   * user's own.
   */
  moduleOf(file: string): string | null
}

/**
 * The file and those of the user's own that it imports. Packages, and files of the package that
 * compiles, are imported.
 * @throws LoadError that says what cannot be compiled, and where
 */
export async function compileModule(file: string, by: Compiling): Promise<string> {
  const { build } = await import('esbuild')
  try {
    const result = await build({
      entryPoints: [file],
      // Where something cannot be compiled, its place is told from here.
      absWorkingDir: process.cwd(),
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node20',
      write: false,
      // Nothing is written there.
      outfile: `${file}.bundle.mjs`,
      sourcemap: 'inline',
      logLevel: 'silent',
      define: ownNames,
      plugins: [importsApart(by), ownSources(new Map())],
    })
    return result.outputFiles[0]!.text
  } catch (error) {
    throw new LoadError(file, `it cannot be compiled: ${compileProblem(error)}`)
  }
}

function importsApart(by: Compiling): Plugin {
  const asked = {}
  return {
    name: 'imports-apart',
    setup(build) {
      build.onResolve({ filter: /.*/ }, async ({ path: name, pluginData, ...where }) => {
        if (pluginData === asked || where.kind === 'entry-point') return null
        const found = await build.resolve(name, { ...where, pluginData: asked })
        const apart = urlApart(name, found, by)
        if (apart === null) return found
        if (where.kind === 'import-statement' || where.kind === 'dynamic-import') return { path: apart, external: true }
        return { errors: [{ text: `\`require("${name}")\`: a scenario is an ES module; import it` }] }
      })
    },
  }
}

const ourRequire = createRequire(import.meta.url)

/**
 * What is imported; null for a file of the user's own, and for what is nowhere. `onceproof` is this
 * one; a package that is not installed where the file is may be one of ours (fast-check).
 */
function urlApart(name: string, found: ResolveResult, { folder, subpaths, moduleOf }: Compiling): string | null {
  const ours = subpaths[name]
  if (ours !== undefined) return urlOf(moduleOf(path.join(folder, ours)))
  if (found.external) return found.path
  if (found.errors.length === 0) {
    const { path: file } = found
    return urlOf(moduleOf(file) ?? (isPackaged(file, folder) ? file : null))
  }
  if (/^[./]/.test(name)) return null
  try {
    return urlOf(ourRequire.resolve(name))
  } catch {
    return null
  }
}

function urlOf(file: string | null): string | null {
  return file === null ? null : pathToFileURL(file).href
}

/** Our own folder may be in a `node_modules` as well. */
function isPackaged(file: string, ourFolder: string): boolean {
  const inner = file.startsWith(ourFolder) ? file.slice(ourFolder.length - 1) : file
  return inner.includes(`${path.sep}node_modules${path.sep}`)
}
