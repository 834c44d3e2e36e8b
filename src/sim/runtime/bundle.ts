import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { BuildOptions, Plugin } from 'esbuild'
import { type Bundled, keptBundle } from './bundle-cache.ts'
import { compileProblem, ownNames, ownSources } from './own-names.ts'
import type { PatchedSources } from './patched-sources.ts'
import { type SharedImports, shareImports } from './shared-packages.ts'

const options = {
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  write: false,
  metafile: true,
  sourcemap: 'inline',
  logLevel: 'silent',
  define: ownNames,
} as const satisfies BuildOptions

/**
 * One script out of an adapter and all that it imports, except for what Node brings: a CommonJS module that can be
 * evaluated as often as there are processes. With `shared`, files of shared packages are left out too, and told there.
 * @throws Error with one line that says what cannot be compiled, and where
 */
export async function bundle(
  file: string,
  patched: PatchedSources,
  leaks: string[],
  shared: SharedImports | null = null,
): Promise<string> {
  const asked = [file, ...[...patched].flat(), shared === null ? 'own' : 'shared']
  const made = await keptBundle(asked, () => make(file, patched, shared !== null))
  leaks.push(...made.leaks)
  for (const one of made.sharedFiles) shared?.files.add(one)
  if (shared !== null && made.awkward) shared.awkward = true
  return made.code
}

interface Bundle {
  readonly code: string
  readonly leaks: readonly string[]
  readonly sharedFiles: readonly string[]
  readonly awkward: boolean
}

async function make(file: string, patched: PatchedSources, shares: boolean): Promise<Bundled<Bundle>> {
  const leaks: string[] = []
  const shared: SharedImports = { files: new Set(), awkward: false }
  // Loaded only where something is to be compiled.
  const { build } = await import('esbuild')
  try {
    const result = await build({
      ...options,
      entryPoints: [file],
      // Nothing is written there; the source map's paths are relative to it, so that breakpoints are found.
      outfile: `${file}.bundle.js`,
      alias: { onceproof: contractPath },
      plugins: [...(shares ? [shareImports(shared)] : []), ownSources(patched), nativeAddons(leaks)],
    })
    const inputs = [...Object.keys(result.metafile.inputs).map((input) => path.resolve(input)), ...shared.files]
    const { files, awkward } = shared
    return { bundle: { code: result.outputFiles[0]!.text, leaks, sharedFiles: [...files], awkward }, inputs }
  } catch (error) {
    throw new Error(compileProblem(error))
  }
}

interface Input {
  readonly file: string
  readonly format: 'cjs' | 'esm' | undefined
}

interface PackagesBundle {
  readonly code: string
  readonly inputs: readonly Input[]
}

/** One script that exports what those files do, by path; and all files that are in it. */
export function bundlePackages(files: readonly string[]): Promise<PackagesBundle> {
  return keptBundle(['packages', ...files], () => makePackages(files))
}

async function makePackages(files: readonly string[]): Promise<Bundled<PackagesBundle>> {
  const { build } = await import('esbuild')
  const members = files.map((file) => `${JSON.stringify(file)}: require(${JSON.stringify(file)})`)
  const contents = `module.exports = { ${members.join(', ')} }`
  const folder = path.dirname(files[0]!)
  const { outputFiles, metafile } = await build({
    ...options,
    stdin: { contents, resolveDir: folder, sourcefile: 'packages.js' },
    outfile: `${files[0]}.bundle.js`,
    absWorkingDir: folder,
    plugins: [ownSources(new Map())],
  })
  const all = Object.entries(metafile.inputs).filter(([name]) => name !== 'packages.js')
  const inputs = all.map(([name, { format }]) => ({ file: path.resolve(folder, name), format }))
  return { bundle: { code: outputFiles[0]!.text, inputs }, inputs: inputs.map(({ file }) => file) }
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
