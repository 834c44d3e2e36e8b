import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'esbuild'
import { compileProblem, ownNames, ownSources } from './own-names.ts'
import type { PatchedSources } from './patched-sources.ts'

/**
 * One script out of an adapter and all that it imports, except for what Node brings: a CommonJS module that can be
 * evaluated as often as there are processes.
 * @throws Error with one line that says what cannot be compiled, and where
 */
export async function bundle(file: string, patched: PatchedSources, leaks: string[]): Promise<string> {
  try {
    const result = await build({
      entryPoints: [file],
      bundle: true,
      platform: 'node',
      format: 'cjs',
      target: 'node20',
      write: false,
      // Nothing is written there; the source map's paths are relative to it, so that breakpoints are found.
      outfile: `${file}.bundle.js`,
      sourcemap: 'inline',
      logLevel: 'silent',
      alias: { onceproof: contractPath },
      define: ownNames,
      plugins: [ownSources(patched), nativeAddons(leaks)],
    })
    return result.outputFiles[0]!.text
  } catch (error) {
    throw new Error(compileProblem(error))
  }
}

/** What an adapter gets for `import … from 'onceproof'`: the contract, without the harness around it. */
export const contractPath = fileURLToPath(new URL('../../contract/index.ts', import.meta.url))

/** Native code cannot be loaded twice into one Node: it is shared between processes, and said so. */
function nativeAddons(leaks: string[]): Plugin {
  return {
    name: 'native-addons',
    setup(build) {
      build.onResolve({ filter: /\.node$/ }, ({ path: addon, resolveDir }) => {
        leaks.push(`the native addon ${path.basename(addon)} is shared by all simulated processes`)
        return { path: path.resolve(resolveDir, addon), external: true }
      })
    },
  }
}
