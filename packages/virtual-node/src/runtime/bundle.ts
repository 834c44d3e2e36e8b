import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { BuildOptions, Plugin } from 'esbuild'
import { type AskedModule, askKey } from './asked-module.ts'
import { type Bundled, keptBundle } from './bundle-cache.ts'
import { entry, entryName } from './bundle-entry.ts'
import { addonsInPlace, leavingOut, looseNames, nativeAddons, requiredInAsync } from './bundle-outside.ts'
import { type BundleShape, bundleInPasses } from './bundle-passes.ts'
import { reportComputedNames } from './computed-names.ts'
import { embedded } from './embedding.ts'
import { compileProblem, metaModule, metaVariable, ownNames, ownSources } from './own-names.ts'
import type { PatchedSources } from './patched-fs.ts'
import { programDigest } from './program-digest.ts'
import { type SharedImports, shareImports } from './shared-packages.ts'
import { strictParts } from './strict-parts.ts'

const options = {
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  write: false,
  metafile: true,
  sourcemap: 'inline',
  // Only positions are looked up. With the sources, most of a bundle would be its map.
  sourcesContent: false,
  logLevel: 'silent',
  define: ownNames,
} as const satisfies BuildOptions

export interface BundleRequest {
  /** Absolute path of the adapter. */
  readonly file: string
  readonly patched: PatchedSources
  /** Modules that are named at run time. The script contains them and evaluates them on request. */
  readonly asked: readonly AskedModule[]
  /** Leaves out the files of shared packages, and lists them. */
  readonly sharing: boolean
  /** For a separate Node: native addons are loaded, from their own place. */
  readonly withAddons?: boolean
}

/**
 * One script made of an adapter and all that it imports, except Node's own modules. It runs in one
 * function, or in two.
 */
export interface Bundle {
  /** The body of a strict function. */
  readonly code: string
  /** The body of a sloppy function (`strict-parts.ts`). */
  readonly sloppy: string | null
  /** True if a module has a top-level await: `code` is then the body of an async function. */
  readonly isAsync: boolean
  /**
   * True if `module.exports` has the form of `bundle-entry.ts` instead of the adapter's exports.
   */
  readonly hasEntry: boolean
  readonly sharedFiles: readonly string[]
  /** True if shared packages are imported in a way that cannot be redirected. */
  readonly awkward: boolean
  /** By name: the first line that requires a package that is not installed. */
  readonly missing: Readonly<Record<string, string>>
  /**
   * A digest of the program's own files, without packages: 8 hex digits. Equal on every machine,
   * because paths do not count.
   */
  readonly digest: string
}

/** @throws Error with one line: what cannot be compiled, and where */
export function bundle(request: BundleRequest): Promise<Bundle> {
  const { file, patched, asked, sharing, withAddons = false } = request
  const how = [sharing ? 'shared' : 'own', withAddons ? 'with addons' : 'without', ...asked.map(askKey)]
  return keptBundle([file, ...[...patched].flat(), ...how], async () => {
    const { made, inputs } = await make(request)
    return { bundle: made, inputs: [...inputs, ...made.sharedFiles] }
  })
}

/**
 * The adapter and all that it imports, by absolute path, without modules that are named at run
 * time.
 * @throws as `bundle`
 */
export async function importsOf(file: string): Promise<string[]> {
  return (await make({ file, patched: new Map(), asked: [], sharing: false })).inputs
}

async function make(request: BundleRequest): Promise<{ made: Bundle; inputs: string[] }> {
  const { file, patched, asked, sharing, withAddons = false } = request
  let shared: SharedImports = { files: new Set(), awkward: false }
  // Loaded only if something must be compiled.
  const { build } = await import('esbuild')
  const hasEntry = (isAsync: boolean) => isAsync || asked.length > 0
  const buildAs = ({ isAsync, looseNames: names, computed }: BundleShape) => {
    const leaveOut = leavingOut(isAsync)
    shared = { files: new Set(), awkward: false }
    return build({
      ...options,
      // esbuild's default is the folder in which it was loaded, but its results are used relative
      // to the present folder.
      absWorkingDir: process.cwd(),
      format: isAsync ? 'esm' : 'cjs',
      supported: { 'dynamic-import': false },
      logOverride: reportComputedNames,
      entryPoints: [hasEntry(isAsync) ? entryName : file],
      // esbuild writes no such file. The paths of the source map are relative to its folder, so
      // that breakpoints work.
      outfile: `${file}.bundle.js`,
      alias: { ...embedded().modules, [metaModule]: metaPath },
      define: { ...ownNames, 'import.meta': metaVariable },
      plugins: [
        ...(hasEntry(isAsync) ? [entry(file, asked, isAsync, leaveOut)] : []),
        ...(sharing ? [shareImports(shared, leaveOut)] : []),
        ...(isAsync ? [requiredInAsync(leaveOut)] : []),
        looseNames(names.keys(), leaveOut),
        ownSources(patched, computed, { memos: !withAddons, simulated: !withAddons }),
        withAddons ? addonsInPlace : nativeAddons(leaveOut),
      ],
    })
  }
  try {
    const [{ outputFiles, metafile }, { isAsync, looseNames: loose }] = await bundleInPasses(buildAs)
    const { strict, sloppy } = strictParts(outputFiles[0]!.text)
    const names = Object.keys(metafile.inputs).filter((input) => !input.startsWith('onceproof-'))
    const inputs = names.map((input) => path.resolve(input))
    const made = {
      code: strict,
      sloppy,
      isAsync,
      hasEntry: hasEntry(isAsync),
      sharedFiles: [...shared.files],
      awkward: shared.awkward,
      missing: Object.fromEntries(loose),
      digest: programDigest(file, inputs, patched),
    }
    return { made, inputs }
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

/** One script with the exports of those files, by path; and the list of all files in it. */
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
    plugins: [withoutColours, ownSources(new Map(), null, { simulated: true })],
  })
  const all = Object.entries(metafile.inputs).filter(
    ([name]) => name !== 'packages.js' && !name.startsWith(withoutColours.name),
  )
  const inputs = all.map(([name, { format }]) => ({ file: path.resolve(folder, name), format }))
  return { bundle: { code: outputFiles[0]!.text, inputs }, inputs: inputs.map(({ file }) => file) }
}

/**
 * `debug` uses `supports-color` if another package has installed it, for more colors.
 * `supports-color` may not be shared, and would prevent that other packages are shared.
 */
const withoutColours: Plugin = {
  name: 'without-colours',
  setup(build) {
    build.onResolve({ filter: /^supports-color$/ }, ({ path: name }) => ({ path: name, namespace: 'without-colours' }))
    build.onLoad({ filter: /./, namespace: 'without-colours' }, ({ path: name }) => ({
      contents: `throw Object.assign(new Error("Cannot find module '${name}'"), { code: 'MODULE_NOT_FOUND' })`,
    }))
  },
}

const metaPath = fileURLToPath(new URL('own-meta.ts', import.meta.url))
