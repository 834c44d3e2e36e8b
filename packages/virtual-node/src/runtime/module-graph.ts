/**
 * An adapter and all that it imports as one script, which can be evaluated once for each process.
 */
import fs from 'node:fs'
import path from 'node:path'
import vm from 'node:vm'
import { type AskedModule, askKey } from './asked-module.ts'
import { type Bundle, bundle } from './bundle.ts'
import { caller } from './current.ts'
import { embedded } from './embedding.ts'
import { takeKnownScripts } from './known-scripts.ts'
import { LoadError } from './load-error.ts'
import { loadProblem } from './load-problem.ts'
import { loadApart, settleApart } from './load-process.ts'
import { type LoaderSetting, ModuleLoader } from './module-loader.ts'
import { ReadableFiles } from './node/readable-files.ts'
import { type Exports, type PackageGraph, packageGraph } from './package-graph.ts'
import { type PatchedSources, patchedFs } from './patched-fs.ts'
import { real } from './real.ts'
import { catchUnhandledErrors } from './turns.ts'
import { bundleName, UserSources } from './user-sources.ts'

type Evaluate = (
  exports: object,
  require: NodeJS.Require,
  module: object,
  filename: string,
  dirname: string,
  onceproofFrom: ModuleLoader['from'],
  onceproofModule: ModuleLoader['module'],
) => void | Promise<void>

interface Script {
  readonly bundle: Bundle
  readonly evaluate: Evaluate
  /** Null if no package is shared. */
  readonly packages: PackageGraph | null
}

/**
 * Bundles the adapter with all that it imports, except Node's own modules, into one script that is
 * compiled once and evaluated for each process. Module-level state is then separate for each
 * process, as in production. Packages that are known to hold no state are evaluated once for all
 * processes, unless the adapter changes them while it is loaded. Modules that are named at run time
 * are added to the script once they were requested.
 */
export class ModuleGraph {
  /** The adapter's default export, evaluated for the first consumer. */
  exported: unknown
  /** The files that its processes may read, and those that they read while loading. */
  readonly files: ReadableFiles
  /** The scripts that the adapter had hashed after loading (`known-scripts.ts`). */
  scripts: readonly string[] = []
  /**
   * True if an evaluation belongs to one process of one run: loading waits, starts a timer or a
   * connection, leaves state in `process`, reads files, or uses a feature that is not simulated.
   * Such a graph is evaluated in each process of each run; other graphs once for each process name,
   * for all runs.
   */
  livesInProcess = false
  readonly sources: UserSources
  #script!: Script
  #common: Exports = {}
  #sharing = true
  readonly #asked: AskedModule[] = []
  readonly #problems = new Map<string, string>()
  #unmet: AskedModule | null = null

  private constructor(
    private readonly file: string,
    private readonly patched: PatchedSources,
  ) {
    this.files = new ReadableFiles(file)
    this.sources = new UserSources(file, () => this.#script.bundle.code)
  }

  /** A digest of the program's own files: 8 hex digits (`program-digest.ts`). */
  get digest(): string {
    return this.#script.bundle.digest
  }

  /** @throws LoadError */
  static async load(file: string, patched: PatchedSources): Promise<ModuleGraph> {
    if (!fs.existsSync(file)) throw new LoadError(file, 'no such file; name an adapter by its id or path')
    const graph = new ModuleGraph(file, patched)
    await graph.#load()
    return graph
  }

  /**
   * Call it in a turn of that process. Returns a promise if loading waits. `fresh`: shares nothing
   * with other processes.
   * @throws what the modules throw
   */
  evaluate(processName: string, fresh: boolean): unknown {
    const { packages } = this.#script
    const instance = this.#instance(fresh && packages !== null ? once(() => packages.evaluate()) : () => this.#common)
    if (this.livesInProcess) {
      const loading = instance.load()
      return loading instanceof Promise ? loading.then(instance.exported) : instance.exported()
    }
    const { failure, unsupported } = loadApart(processName, this.files, instance.load)
    for (const what of unsupported) caller()?.host.unsupported(what)
    if (failure !== null) throw failure.error
    return instance.exported()
  }

  /**
   * Loads the modules that were requested by computed names for the first time, so that the run can
   * be played again; null if there are none.
   */
  takeIn(): Promise<void> | null {
    return this.#unmet === null ? null : this.#load()
  }

  async #load(): Promise<void> {
    for (;;) {
      this.#script = await this.#compile()
      const loaded = await fromMacrotask(() => this.#loadFirst())
      if (!loaded) this.#sharing = false
      else if (this.#unmet === null) return
    }
  }

  /** The script with the requested modules, except those that cannot be compiled. */
  async #compile(): Promise<Script> {
    const unmet = this.#unmet
    this.#unmet = null
    if (unmet !== null) {
      this.#asked.push(unmet)
      try {
        return await this.#compiled()
      } catch (error) {
        this.#asked.pop()
        this.#problems.set(askKey(unmet), (error as Error).message)
      }
    }
    return this.#compiled().catch((error: Error) => {
      throw new LoadError(this.file, `it cannot be compiled: ${error.message}`)
    })
  }

  async #compiled(): Promise<Script> {
    const { file, patched } = this
    const made = await bundle({ file, patched, asked: this.#asked, sharing: this.#sharing })
    const files = made.awkward ? [] : made.sharedFiles
    const packages = files.length === 0 ? null : await packageGraph(new Set(files))
    if (packages === null && made.sharedFiles.length > 0) {
      this.#sharing = false
      return this.#compiled()
    }
    return { bundle: made, evaluate: compile(file, made), packages }
  }

  /** False if packages should have been shared, and cannot be. */
  async #loadFirst(): Promise<boolean> {
    const { packages, bundle: made } = this.#script
    if (packages !== null) {
      const common = packages.shared()
      if (common === null) return false
      this.#common = common
    }
    const instance = this.#instance(() => this.#common)
    takeKnownScripts()
    const apart = made.isAsync
      ? await settleApart('consumer-1', this.files, async () => instance.load())
      : { ...loadApart('consumer-1', this.files, instance.load), settled: true }
    if (this.#unmet !== null) return true
    const problem = loadProblem(this.file, apart, made.missing)
    if (problem !== null) throw problem
    this.exported = instance.exported()
    this.scripts = takeKnownScripts()
    const readEarly = this.files.permit(embedded().mayReadFiles(this.exported))
    this.livesInProcess = made.isAsync || apart.isActive || apart.unsupported.length > 0 || readEarly.length > 0
    return packages === null || packages.isUnchanged
  }

  #instance(packages: () => Exports): { load: () => void | Promise<void>; exported: () => unknown } {
    const { file, patched } = this
    const setting: LoaderSetting = {
      file,
      ownFs: patched.size > 0 ? patchedFs(patched) : fs,
      packages,
      asked: (module) => (this.#unmet ??= module),
      problemOf: (module) => this.#problems.get(askKey(module)) ?? null,
    }
    const loader = new ModuleLoader(setting)
    const { module, from } = loader
    const { evaluate, bundle: made } = this.#script
    return {
      load: () =>
        loader.load(() => evaluate(module.exports, module.require, module, file, path.dirname(file), from, module)),
      exported: () => embedded().exportOf(made.hasEntry ? module.exports.onceproofAdapter : module.exports),
    }
  }
}

const names = 'exports, require, module, __filename, __dirname, onceproof_from, onceproof_module'

function compile(file: string, { code, sloppy, isAsync }: Bundle): Evaluate {
  const evaluated = (text: string) => new vm.Script(text, { filename: bundleName(file) }).runInThisContext()
  const kind = isAsync ? 'async function' : 'function'
  const strict = evaluated(`(${kind} (${names}, onceproof_sloppy) {"use strict";${code}\n})`)
  if (sloppy === null) return strict
  const other = evaluated(`(function (${names}, links) {${sloppy}\n})`)
  return (...given) => strict(...given, (links: object) => other(...given, links))
}

function once<T extends object>(make: () => T): () => T {
  let made: T | null = null
  return () => (made ??= make())
}

/**
 * Loads from a macrotask, because draining works only there. Also rejects with errors that occurred
 * outside of all turns.
 */
function fromMacrotask<T>(load: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    real.setImmediate(() => {
      const giveBack = catchUnhandledErrors()
      load().finally(giveBack).then(resolve, reject)
    })
  })
}
