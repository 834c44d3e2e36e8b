/**
 * Loads what one evaluation of a module graph requires at run time: from Node, from its own script,
 * from shared packages.
 */
import type fs from 'node:fs'
import Module, { createRequire, isBuiltin } from 'node:module'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { type AskedModule, askKey } from './asked-module.ts'
import type { EntryExports } from './bundle-entry.ts'
import { ownerOf } from './bundle-outside.ts'
import { caller } from './current.ts'
import { missingOf, missingPrefix, moduleNotFound } from './missing-module.ts'
import { refuse } from './node/refuse.ts'
import { ownResolve } from './own-resolve.ts'
import type { Exports } from './package-graph.ts'
import { ProcessMemos } from './process-memos.ts'
import { sharedPrefix } from './shared-packages.ts'

/** A file's loader for modules that it names at run time. */
export interface OwnRequire extends NodeJS.Require {
  import(name: unknown): Promise<unknown>
}

export interface LoaderSetting {
  /** The adapter. */
  readonly file: string
  /** `node:fs` as the modules of the graph see it. */
  readonly ownFs: typeof fs
  readonly packages: () => Exports
  /**
   * Called for a module that is not in the script. The request fails, and the run must be played
   * again.
   */
  asked(module: AskedModule): void
  /** Why a module cannot be added to the script; null if it can, or was not tried. */
  problemOf(module: AskedModule): string | null
}

/**
 * Refuses to load native addons. Reports a refused addon as unsupported only if the load fails;
 * code that continues without its addon is not reported.
 */
export class ModuleLoader {
  /** The `module` of the script. */
  readonly module: {
    exports: Partial<EntryExports> & { default?: unknown }
    require: NodeJS.Require
    readonly memos: Record<string, unknown>
  }
  readonly #realRequire: NodeJS.Require
  readonly #ownModule: typeof Module
  /** Addons refused in the current load. */
  readonly #refused = new Set<string>()
  #depth = 0

  constructor(private readonly setting: LoaderSetting) {
    this.#realRequire = createRequire(setting.file)
    this.#ownModule = this.#virtualModule()
    const require = Object.assign((name: string) => this.#required(name), {
      ...this.#realRequire,
      resolve: ownResolve(setting.file),
    })
    const memos = new ProcessMemos()
    this.module = {
      exports: {},
      require: require as NodeJS.Require,
      get memos() {
        return memos.current
      },
    }
  }

  /**
   * Evaluates modules. If that fails and a native addon was among them, reports the addon as not
   * simulated.
   */
  load<T>(evaluate: () => T): T {
    this.#depth++
    try {
      const loaded = evaluate()
      if (loaded instanceof Promise) return this.#settling(loaded) as T
      this.#leave(false)
      return loaded
    } catch (error) {
      this.#leave(true)
      throw error
    }
  }

  #settling<T>(loading: Promise<T>): Promise<T> {
    return loading.then(
      (loaded) => {
        this.#leave(false)
        return loaded
      },
      (error: unknown) => {
        this.#leave(true)
        throw error
      },
    )
  }

  #leave(failed: boolean): void {
    if (--this.#depth > 0) return
    if (failed) for (const addon of this.#refused) caller()?.host.unsupported(addon)
    this.#refused.clear()
  }

  /** The loader of a file for computed names. */
  readonly from = (file: string): OwnRequire => {
    const require = (name: string): unknown => this.#byName({ kind: 'require', from: file, name })
    const importing = async (name: unknown): Promise<unknown> =>
      this.#byName({ kind: 'import', from: file, name: String(name) })
    return Object.assign(require, { resolve: ownResolve(file), cache: {}, extensions: {}, main: undefined } as never, {
      import: importing,
    }) as OwnRequire
  }

  /** Requires a module that the bundle left out. */
  #required(name: string): unknown {
    if (name.startsWith(sharedPrefix)) return this.setting.packages()[name.slice(sharedPrefix.length)]
    if (name.startsWith(missingPrefix)) throw moduleNotFound(missingOf(name))
    if (isBuiltin(name)) return this.#builtin(name)
    if (name.endsWith('.node')) return this.load(() => this.#refuse(name))
    // Only code in an ES module can reach this `require`. In Node, an ES module has no `require`.
    const what = `the module ${path.basename(name)}, required outside a module`
    caller()?.host.unsupported(what)
    throw new Error(`${what}, is not simulated`)
  }

  #byName(asked: AskedModule): unknown {
    const { kind, name, from } = asked
    if (isBuiltin(name)) return kind === 'require' ? this.#builtin(name) : namespaceOf(this.#builtin(name))
    if (name.endsWith('.node')) return this.load(() => this.#refuse(name, from))
    const own = this.module.exports.onceproofAsked?.[askKey(asked)]
    if (own !== undefined) return this.load(own)
    const problem = this.setting.problemOf(asked)
    if (problem !== null) {
      caller()?.host.unsupported(`the module ${path.basename(name)}, which the code names at run time: ${problem}`)
      throw new SyntaxError(`${name} cannot be compiled: ${problem}`)
    }
    this.setting.asked(asked)
    throw new Error(`${name} is first required by a computed name`)
  }

  #builtin(name: string): unknown {
    if (name === 'fs' || name === 'node:fs') return this.setting.ownFs
    if (name === 'module' || name === 'node:module') return this.#ownModule
    return this.#realRequire(name)
  }

  #refuse(addon: string, from = addon): never {
    const owner = ownerOf(addon) ?? ownerOf(from)
    const what = `the native addon ${path.basename(addon)}${owner === null ? '' : ` of ${owner}`}`
    this.#refused.add(what)
    throw Object.assign(new Error(`${what} is not simulated`), { code: 'ERR_DLOPEN_FAILED' })
  }

  /** `node:module` with a `createRequire` that loads modules of this process. */
  #virtualModule(): typeof Module {
    const ownRequire = (from: string | URL): NodeJS.Require => {
      createRequire(from) // Throws if it is neither a file URL nor an absolute path.
      const file = from instanceof URL || from.startsWith('file:') ? fileURLToPath(from) : from
      return this.from(/[/\\]$/.test(file) ? path.join(file, 'noop.js') : file)
    }
    const own: typeof Module = new Proxy(Module, {
      get(module, name, receiver) {
        if (name === 'createRequire') return ownRequire
        if (looking.has(name)) return () => refuse(`module.${String(name)}`, 'which reads the disk')
        return name === 'Module' || name === 'default' ? own : Reflect.get(module, name, receiver)
      },
    })
    return own
  }
}

/**
 * Members of `node:module` that look for files. They are refused; `require.resolve` is simulated.
 */
const looking = new Set<string | symbol>(['_findPath', '_readPackage', '_resolveFilename', '_stat', 'findPackageJSON'])

/** The result of `import()` of a module of Node. */
function namespaceOf(builtin: unknown): object {
  return Object.assign(Object.create(null), builtin, { default: builtin })
}
