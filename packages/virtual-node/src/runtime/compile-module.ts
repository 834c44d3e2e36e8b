/** Compiles a user's file to one ES module, whatever module type its package.json declares. */
import { createRequire } from 'node:module'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Plugin, ResolveResult } from 'esbuild'
import { LoadError } from './load-error.ts'
import { compileProblem, ownNames, ownSources } from './own-names.ts'

/** The package that compiles a user's file. */
export interface Compiling {
  readonly folder: string
  /** The file for each of its import names, relative to its folder. */
  readonly subpaths: Readonly<Record<string, string>>
  /**
   * The file to import instead of one of the package's files; null if the file can only be compiled
   * like a user's file.
   */
  moduleOf(file: string): string | null
}

/**
 * Compiles the file with the user's files that it imports. Imports of packages, and of files of the
 * compiling package, remain imports.
 * @throws LoadError with what cannot be compiled, and where
 */
export async function compileModule(file: string, by: Compiling): Promise<string> {
  const { build } = await import('esbuild')
  try {
    const result = await build({
      entryPoints: [file],
      // Places in error messages are relative to this folder.
      absWorkingDir: process.cwd(),
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node20',
      write: false,
      // esbuild writes no such file.
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
 * The URL of an import; null for a user's file, and for names that are not found. `onceproof` is
 * this package; a package that is not installed next to the file may be a dependency of `onceproof`
 * (fast-check).
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

/** True if the file belongs to a package. Our own folder may be in a `node_modules` too. */
function isPackaged(file: string, ourFolder: string): boolean {
  const inner = file.startsWith(ourFolder) ? file.slice(ourFolder.length - 1) : file
  return inner.includes(`${path.sep}node_modules${path.sep}`)
}
