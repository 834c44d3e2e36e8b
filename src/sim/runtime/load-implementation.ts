import fs from 'node:fs'
import { createRequire, isBuiltin } from 'node:module'
import path from 'node:path'
import vm from 'node:vm'
import type { Implementation } from '../../contract/implementation.ts'
import { sinkKinds } from '../../contract/sink.ts'
import { bundle } from './bundle.ts'
import { caller } from './current.ts'
import { install } from './install.ts'
import { evaluateApart } from './load-process.ts'
import { isMutant, type PatchedSources, patchedFs, patchedSources, reference } from './patched-sources.ts'
import { real } from './real.ts'
import { catchStrays } from './turns.ts'

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
 * Loads an adapter, or a mutant of the reference.
 * @throws LoadError, MisfitError
 */
export async function loadImplementation(file: string): Promise<LoadedImplementation> {
  install()
  const graph = await loadGraph(file, new Map())
  if (!isMutant(graph.exported)) return reused(graph, file, (exported) => checked(exported, file))
  const { id, about, hunt } = graph.exported
  const mutated = await loadGraph(reference, patchedSources(graph.exported))
  const identity = { id, about, hunt, expect: 'broken' as const }
  return reused(mutated, file, (exported) => ({ ...checked(exported, reference), ...identity }))
}

/** What an adapter or a mutant says of itself; without building the mutant. @throws LoadError */
export async function readIdentity(file: string): Promise<Pick<Implementation, 'id' | 'about' | 'hunt'>> {
  install()
  const { exported } = await loadGraph(file, new Map())
  return isMutant(exported) ? exported : checked(exported, file)
}

/** A module graph that can be evaluated again and again. */
interface Graph {
  readonly leaks: string[]
  /** What the adapter exports by default, evaluated for the first consumer. */
  readonly exported: unknown
  /** What must live on after loading, and so forbids to reuse an evaluated graph; null for nothing. */
  readonly active: string | null
  evaluate(processName: string): unknown
}

/**
 * Bundles the adapter with all that it imports, except for what Node brings, into one script that is compiled once
 * and evaluated once per process: module-level state is then each process's own, as it is in production.
 */
async function loadGraph(file: string, patched: PatchedSources): Promise<Graph> {
  const leaks: string[] = []
  const evaluate = await compile(file, patched, leaks)
  const require = requireBuiltins(file, patched, leaks)
  const instance = (processName: string): { exported: unknown; active: string | null } => {
    const module = { exports: {} as { default?: unknown } }
    const active = evaluateApart(processName, () => evaluate(module.exports, require, module, file, path.dirname(file)))
    return { exported: module.exports.default, active }
  }
  const first = await firstOf(file, () => instance('consumer-1'))
  if (first.active !== null && !leaks.includes(first.active)) leaks.push(first.active)
  return { leaks, ...first, evaluate: (processName) => instance(processName).exported }
}

function reused(
  { leaks, exported, active, evaluate }: Graph,
  file: string,
  toImplementation: (exported: unknown) => Implementation,
): LoadedImplementation {
  const implementation = toImplementation(exported)
  const graphs = new Map<string, Implementation>([['consumer-1', implementation]])
  return {
    ...{ implementation, path: file, leaks },
    instantiate(processName, fresh) {
      if (fresh || active !== null) return toImplementation(evaluate(processName))
      let graph = graphs.get(processName)
      if (graph === undefined) graphs.set(processName, (graph = toImplementation(evaluate(processName))))
      return graph
    },
  }
}

async function compile(file: string, patched: PatchedSources, leaks: string[]): Promise<Evaluate> {
  if (!fs.existsSync(file)) throw new LoadError(file, 'there is no such file; name an adapter by id or by its path')
  const code = await bundle(file, patched, leaks).catch((error: Error) => {
    throw new LoadError(file, `it cannot be compiled: ${error.message}`)
  })
  const script = new vm.Script(`(function (exports, require, module, __filename, __dirname) {${code}\n})`, {
    filename: `${file}.bundle.js`,
  })
  return script.runInThisContext() as Evaluate
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
  return new LoadError(
    file,
    `it throws while it is loaded (${text.split('\n', 1)[0]}); make it load in plain Node first`,
  )
}

function checked(exported: unknown, file: string): Implementation {
  const missing = (what: string) => new LoadError(file, `${what}; see \`onceproof init\` for one that runs`)
  if (typeof exported !== 'object' || exported === null)
    throw missing('it has no default export made by defineImplementation({ id, create })')
  const { id, create, sinks } = exported as Partial<Implementation>
  if (typeof id !== 'string' || id === '') throw missing('its default export has no `id` (a string)')
  if (typeof create !== 'function') throw missing(`the implementation ${id} has no \`create\` (a function)`)
  if (sinks !== undefined && !Array.isArray(sinks)) throw missing(`\`sinks\` of the implementation ${id} is no array`)
  const unknown = sinks?.find((sink) => !sinkKinds.includes(sink))
  if (unknown !== undefined) throw missing(`the implementation ${id} names an unknown sink, ${String(unknown)}`)
  return exported as Implementation
}
