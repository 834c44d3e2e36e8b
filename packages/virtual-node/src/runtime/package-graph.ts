/** Shared packages as one script, evaluated once for each thread. */
import { createRequire, isBuiltin } from 'node:module'
import vm from 'node:vm'
import { bundlePackages } from './bundle.ts'
import { loadApart } from './load-process.ts'
import { moduleNotFound } from './missing-module.ts'
import { ReadableFiles } from './node/readable-files.ts'
import { PackageState } from './package-state.ts'
import { isShared } from './shared-packages.ts'

/** The exports of the shared packages, by file. */
export type Exports = Readonly<Record<string, unknown>>

type Evaluate = (exports: object, require: NodeJS.Require, module: { exports: Exports }) => void

/** Shared by adapters that import the same files of shared packages. */
export class PackageGraph {
  #shared: Exports | null = null
  #state: PackageState | null = null
  /** The modules of Node that the packages have required. */
  readonly #builtins = new Set<object>()

  private constructor(
    private readonly script: Evaluate,
    private readonly realRequire: NodeJS.Require,
    private readonly files: ReadableFiles,
    private readonly file: string,
  ) {}

  /** Null if these files import an ES module, or a package that is not known to be stateless. */
  static async of(files: readonly string[]): Promise<PackageGraph | null> {
    const { code, inputs } = await bundlePackages(files)
    if (!inputs.every(({ file, format }) => isShared(file) && format !== 'esm')) return null
    const filename = `${files[0]}.bundle.js`
    const script = new vm.Script(`(function (exports, require, module) {${code}\n})`, { filename })
    return new PackageGraph(
      script.runInThisContext() as Evaluate,
      createRequire(files[0]!),
      new ReadableFiles(files[0]!),
      files[0]!,
    )
  }

  /**
   * The exports that all processes share. They are evaluated on first use, and again after a
   * program has changed them. Call it from a macrotask. Null if the evaluation starts work that
   * must continue, or uses a feature that is not simulated.
   */
  shared(): Exports | null {
    if (this.#shared !== null && this.isUnchanged) return this.#shared
    const apart = loadApart('packages-1', this.files, () => (this.#shared = this.evaluate()))
    if (apart.failure !== null) throw apart.failure.error
    if (apart.isActive || apart.unsupported.length > 0) return null
    this.#state = new PackageState(this.#shared!, this.#builtins)
    return this.#shared
  }

  /** True if no program has changed the shared exports. */
  get isUnchanged(): boolean {
    return this.#state?.isUnchanged ?? false
  }

  /** Evaluates the packages for the current process only. */
  evaluate(): Exports {
    const module = { exports: {} }
    const require = (name: string): unknown => {
      // An optional package that was missing when the script was made. Packages catch this error.
      if (!isBuiltin(name)) throw moduleNotFound({ kind: 'require', from: this.file, name })
      const required = this.realRequire(name) as object
      this.#builtins.add(required)
      return required
    }
    this.script(module.exports, Object.assign(require, this.realRequire), module)
    return module.exports
  }
}

const graphs = new Map<string, Promise<PackageGraph | null>>()

/** The graph of those files; one for each thread. */
export function packageGraph(files: ReadonlySet<string>): Promise<PackageGraph | null> {
  const sorted = [...files].sort()
  const key = sorted.join()
  let graph = graphs.get(key)
  if (graph === undefined) graphs.set(key, (graph = PackageGraph.of(sorted)))
  return graph
}
