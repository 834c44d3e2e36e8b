/** An adapter and all that it imports as one script, which can be evaluated as often as there are processes. */
import fs from 'node:fs'
import { createRequire, isBuiltin } from 'node:module'
import path from 'node:path'
import vm from 'node:vm'
import type { Permission } from '../../contract/implementation.ts'
import { bundle } from './bundle.ts'
import { caller } from './current.ts'
import { LoadError } from './load-error.ts'
import { evaluateApart } from './load-process.ts'
import { ReadableFiles } from './node/readable-files.ts'
import { NotSimulatedError } from './node/refuse.ts'
import { type Exports, packageGraph } from './package-graph.ts'
import { type PatchedSources, patchedFs } from './patched-sources.ts'
import { real } from './real.ts'
import { type SharedImports, sharedPrefix } from './shared-packages.ts'
import { catchStrays } from './turns.ts'

export interface ModuleGraph {
  readonly leaks: string[]
  /** What the adapter exports by default, evaluated for the first consumer. */
  readonly exported: unknown
  /** What must live on after loading, and so forbids to reuse an evaluated graph; null for nothing. */
  readonly active: string | null
  readonly files: ReadableFiles
  /** `fresh`: with nothing in it that another process has too. */
  evaluate(processName: string, fresh: boolean): unknown
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
 * and evaluated once per process: module-level state is then each process's own, as it is in production. Packages that
 * are known to hold none are evaluated once for all processes, unless the adapter changes them while it is loaded.
 * @throws LoadError
 */
export async function loadGraph(file: string, patched: PatchedSources): Promise<ModuleGraph> {
  const shared: SharedImports = { files: new Set(), awkward: false }
  const sharing = await graphOf(file, patched, shared)
  return sharing ?? (await graphOf(file, patched, null))!
}

/** Null where packages were to be shared, and cannot be. */
async function graphOf(
  file: string,
  patched: PatchedSources,
  shared: SharedImports | null,
): Promise<ModuleGraph | null> {
  const leaks: string[] = []
  const code = await codeOf(file, patched, leaks, shared)
  const packages =
    shared === null || shared.awkward || shared.files.size === 0 ? null : await packageGraph(shared.files)
  if (packages === null && shared !== null && shared.files.size > 0) return null
  const evaluate = compile(file, code)
  const files = new ReadableFiles(file)
  const builtins = requireBuiltins(file, patched, leaks)
  const instance = (processName: string, packagesOf: () => Exports): { exported: unknown; active: string | null } => {
    const module = { exports: {} as { default?: unknown } }
    const require = packages === null ? builtins : requireShared(builtins, packagesOf)
    const active = evaluateApart(processName, files, () =>
      evaluate(module.exports, require, module, file, path.dirname(file)),
    )
    return { exported: module.exports.default, active }
  }
  let common: Exports = {}
  const first = await firstOf(file, () => {
    if (packages === null) return instance('consumer-1', () => common)
    const made = packages.shared()
    if (made === null) return null
    common = made
    const loaded = instance('consumer-1', () => common)
    return packages.isUnchanged ? loaded : null
  })
  if (first === null) return null
  if (first.active !== null && !leaks.includes(first.active)) leaks.push(first.active)
  leaks.push(...files.permit(asksFor(first.exported, 'fs-read')))
  const apart = () => packages!.evaluate()
  return {
    leaks,
    ...first,
    files,
    evaluate: (processName, fresh) => instance(processName, fresh ? once(apart) : () => common).exported,
  }
}

async function codeOf(
  file: string,
  patched: PatchedSources,
  leaks: string[],
  shared: SharedImports | null,
): Promise<string> {
  if (!fs.existsSync(file)) throw new LoadError(file, 'there is no such file; name an adapter by id or by its path')
  return bundle(file, patched, leaks, shared).catch((error: Error) => {
    throw new LoadError(file, `it cannot be compiled: ${error.message}`)
  })
}

function compile(file: string, code: string): Evaluate {
  const script = new vm.Script(`(function (exports, require, module, __filename, __dirname) {${code}\n})`, {
    filename: `${file}.bundle.js`,
  })
  return script.runInThisContext() as Evaluate
}

function asksFor(exported: unknown, what: Permission): boolean {
  const { allow } = (exported ?? {}) as { allow?: unknown }
  return Array.isArray(allow) && allow.includes(what)
}

function once<T extends object>(make: () => T): () => T {
  let made: T | null = null
  return () => (made ??= make())
}

function requireShared(builtins: NodeJS.Require, packages: () => Exports): NodeJS.Require {
  const require = (name: string): unknown =>
    name.startsWith(sharedPrefix) ? packages()[name.slice(sharedPrefix.length)] : builtins(name)
  return Object.assign(require, builtins)
}

/** What is left to `require` is what Node brings; and names that are computed, which nobody can bundle. */
function requireBuiltins(file: string, patched: PatchedSources, leaks: string[]): NodeJS.Require {
  const realRequire = createRequire(file)
  const ownFs = patched.size > 0 ? patchedFs(patched) : fs
  const require = (name: string): unknown => {
    if (name === 'fs' || name === 'node:fs') return ownFs
    // Throws for what is not there: an optional package that was not installed is nobody's leak.
    const module: unknown = realRequire(name)
    if (!isBuiltin(name) && !name.endsWith('.node')) {
      const leak = `the module ${path.basename(name)}, whose name is computed, is shared by all simulated processes`
      if (!leaks.includes(leak)) leaks.push(leak)
      caller()?.host.unsupported(leak)
    }
    return module
  }
  return Object.assign(require, realRequire)
}

/** Evaluates it for the first time, from a macrotask, as every turn. */
function firstOf<T>(file: string, load: () => T): Promise<T> {
  return new Promise((resolve, reject) => {
    real.setImmediate(() => {
      const giveBack = catchStrays()
      try {
        const loaded = load()
        giveBack()
        resolve(loaded)
      } catch (error) {
        giveBack()
        reject(asLoadError(file, error))
      }
    })
  })
}

function asLoadError(file: string, error: unknown): LoadError {
  if (error instanceof LoadError) return error
  const text = error instanceof Error ? error.message : String(error)
  if (error instanceof NotSimulatedError) return new LoadError(file, `while it is loaded, ${text}; leave that out`)
  return new LoadError(
    file,
    `it throws while it is loaded (${text.split('\n', 1)[0]}); make it load in plain Node first`,
  )
}
