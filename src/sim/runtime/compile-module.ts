/** A file of the user's own as one ES module, whatever the package.json beside it says of its ending. */
import { createRequire } from 'node:module'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { build, type Plugin, type ResolveResult } from 'esbuild'
import { LoadError } from './load-error.ts'
import { compileProblem, ownNames, ownSources } from './own-names.ts'

/**
 * The file and those of the user's own that it imports. Packages, and what is in `ourFolder`, are imported as they are.
 * @throws LoadError that says what cannot be compiled, and where
 */
export async function compileModule(file: string, ourFolder: string): Promise<string> {
  try {
    const result = await build({
      entryPoints: [file],
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
      plugins: [importsApart(ourFolder), ownSources(new Map())],
    })
    return result.outputFiles[0]!.text
  } catch (error) {
    throw new LoadError(file, `it cannot be compiled: ${compileProblem(error)}`)
  }
}

function importsApart(ourFolder: string): Plugin {
  const asked = {}
  return {
    name: 'imports-apart',
    setup(build) {
      build.onResolve({ filter: /.*/ }, async ({ path: name, pluginData, ...where }) => {
        if (pluginData === asked || where.kind === 'entry-point') return null
        const found = await build.resolve(name, { ...where, pluginData: asked })
        const apart = urlApart(name, found, ourFolder)
        if (apart === null) return found
        if (where.kind === 'import-statement' || where.kind === 'dynamic-import') return { path: apart, external: true }
        return { errors: [{ text: `\`require("${name}")\`: a scenario is an ES module; import it` }] }
      })
    },
  }
}

const ourRequire = createRequire(import.meta.url)

/**
 * What is imported as it is; null for a file of the user's own, and for what is nowhere. `onceproof` is this one; a
 * package that is not installed where the file is may be one of ours (fast-check).
 */
function urlApart(name: string, found: ResolveResult, ourFolder: string): string | null {
  if (name === 'onceproof') return pathToFileURL(path.join(ourFolder, 'src', 'index.ts')).href
  if (found.external) return found.path
  if (found.errors.length === 0) {
    const apart = found.path.startsWith(ourFolder) || found.path.includes(`${path.sep}node_modules${path.sep}`)
    return apart ? pathToFileURL(found.path).href : null
  }
  if (/^[./]/.test(name)) return null
  try {
    return pathToFileURL(ourRequire.resolve(name)).href
  } catch {
    return null
  }
}
