import fs from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import vm from 'node:vm'
import { build, type Plugin } from 'esbuild'
import type { Implementation } from '../../contract/implementation.ts'
import { sinkKinds } from '../../contract/sink.ts'
import { install } from './install.ts'
import { evaluateApart } from './load-process.ts'

/** Something that the user named cannot be used; the command ends with exit code 2. */
export class LoadError extends Error {
  override readonly name = 'LoadError'
  constructor(
    readonly culprit: string,
    readonly remedy: string,
  ) {
    super(`${culprit}: ${remedy}`)
  }
}

/** An adapter, and a module graph of its own for every process that runs it. */
export interface LoadedImplementation {
  readonly implementation: Implementation
  readonly path: string
  /**
   * The adapter in the module graph of that process slot and incarnation: made once, reused by later runs.
   * `fresh` makes a new one, for checks of what leaks through module state.
   */
  instantiate(processName: string, fresh: boolean): Implementation
  /** Why processes cannot be kept apart, in sentences; empty when they can. */
  readonly leaks: readonly string[]
}

type Evaluate = (
  exports: object,
  require: NodeJS.Require,
  module: { exports: { default?: unknown } },
  filename: string,
  dirname: string,
) => void

/**
 * Bundles the adapter with all that it imports, except for what Node brings, into one script that is compiled once
 * and evaluated once per process: module-level state is then each process's own, as it is in production.
 */
export async function loadImplementation(file: string): Promise<LoadedImplementation> {
  install()
  const leaks: string[] = []
  const code = await bundle(file, leaks)
  const script = new vm.Script(`(function (exports, require, module, __filename, __dirname) {${code}\n})`, {
    filename: `${file}.bundle.js`,
  })
  const evaluate = script.runInThisContext() as Evaluate
  const require = createRequire(file)
  const instance = (processName: string): { implementation: Implementation; active: string | null } => {
    const module = { exports: {} as { default?: unknown } }
    const active = evaluateApart(processName, () => evaluate(module.exports, require, module, file, path.dirname(file)))
    return { implementation: checked(module.exports.default, file), active }
  }
  const first = loadable(file, () => instance('consumer-1'))
  const perRun = first.active !== null
  if (first.active !== null) leaks.push(first.active)
  const graphs = new Map<string, Implementation>([['consumer-1', first.implementation]])
  return {
    implementation: first.implementation,
    path: file,
    leaks,
    instantiate(processName, fresh) {
      if (fresh || perRun) return instance(processName).implementation
      let graph = graphs.get(processName)
      if (graph === undefined) graphs.set(processName, (graph = instance(processName).implementation))
      return graph
    },
  }
}

function loadable<T>(file: string, load: () => T): T {
  try {
    return load()
  } catch (error) {
    if (error instanceof LoadError) throw error
    const text = error instanceof Error ? error.message : String(error)
    throw new LoadError(file, `it throws while it is loaded (${firstLine(text)}); make it load in plain Node first`)
  }
}

function checked(exported: unknown, file: string): Implementation {
  const missing = (what: string) => new LoadError(file, `${what}; see \`onceproof init\` for one that runs`)
  if (typeof exported !== 'object' || exported === null)
    throw missing('it has no default export made by defineImplementation({ id, create })')
  const { id, create, sinks } = exported as Partial<Implementation>
  if (typeof id !== 'string' || id === '') throw missing('its default export has no `id` (a string)')
  if (typeof create !== 'function') throw missing(`the implementation ${id} has no \`create\` (a function)`)
  const unknown = sinks?.find((sink) => !sinkKinds.includes(sink))
  if (unknown !== undefined) throw missing(`the implementation ${id} names an unknown sink, ${String(unknown)}`)
  return exported as Implementation
}

async function bundle(file: string, leaks: string[]): Promise<string> {
  if (!fs.existsSync(file)) throw new LoadError(file, 'there is no such file; name an adapter by id or by its path')
  try {
    const result = await build({
      entryPoints: [file],
      bundle: true,
      platform: 'node',
      format: 'cjs',
      target: 'node20',
      write: false,
      sourcemap: 'inline',
      logLevel: 'silent',
      alias: { onceproof: contractPath },
      plugins: [ownUrls, nativeAddons(leaks)],
    })
    return result.outputFiles[0]!.text
  } catch (error) {
    const [problem] =
      (error as { errors?: { text: string; location?: { file: string; line: number } | null }[] }).errors ?? []
    const where = problem?.location ? ` (${problem.location.file}:${problem.location.line})` : ''
    const what = problem?.text ?? (error instanceof Error ? error.message : String(error))
    throw new LoadError(file, `it cannot be compiled: ${firstLine(what)}${where}`)
  }
}

/** What an adapter gets for `import … from 'onceproof'`: the contract, without the harness around it. */
const contractPath = fileURLToPath(new URL('../../contract/index.ts', import.meta.url))

/** A bundle has one URL; every file in it keeps its own, so that files beside it are found. */
const ownUrls: Plugin = {
  name: 'own-urls',
  setup(build) {
    build.onLoad({ filter: /\.[cm]?[jt]sx?$/ }, async ({ path: file }) => {
      const source = await fs.promises.readFile(file, 'utf8')
      if (!/import\.meta\.|__dirname|__filename/.test(source)) return null
      const contents = source
        .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(file).href))
        .replaceAll(/import\.meta\.dirname|\b__dirname\b/g, JSON.stringify(path.dirname(file)))
        .replaceAll(/import\.meta\.filename|\b__filename\b/g, JSON.stringify(file))
      return { contents, loader: /\.[cm]?tsx?$/.test(file) ? 'ts' : 'js' }
    })
  },
}

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

function firstLine(text: string): string {
  return text.split('\n', 1)[0]!
}
