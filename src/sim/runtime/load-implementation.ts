import type { Implementation } from '../../contract/implementation.ts'
import { adapterProblem } from './adapter-problem.ts'
import { install } from './install.ts'
import { LoadError } from './load-error.ts'
import { loadGraph, type ModuleGraph } from './module-graph.ts'
import type { ReadableFiles } from './node/readable-files.ts'
import { isMutant, patchedSources, reference } from './patched-sources.ts'

export { LoadError }

/** An adapter, and a module graph of its own for every process that runs it. */
export interface LoadedImplementation {
  readonly implementation: Implementation
  readonly path: string
  /**
   * The adapter in the module graph of that process slot and incarnation: made once, reused by later runs.
   * `fresh` makes a new one, for checks of what leaks through module state.
   */
  instantiate(processName: string, fresh: boolean): Implementation
  /** Which files its processes may read, and which they read while they were loaded. */
  readonly files: ReadableFiles
  /** Why processes cannot be kept apart, in sentences; empty when they can. */
  readonly leaks: readonly string[]
}

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

function reused(
  { leaks, exported, active, files, evaluate }: ModuleGraph,
  file: string,
  toImplementation: (exported: unknown) => Implementation,
): LoadedImplementation {
  const implementation = toImplementation(exported)
  const graphs = new Map<string, Implementation>([['consumer-1', implementation]])
  return {
    implementation,
    path: file,
    files,
    leaks,
    instantiate(processName, fresh) {
      if (fresh || active !== null) return toImplementation(evaluate(processName, fresh))
      let graph = graphs.get(processName)
      if (graph === undefined) graphs.set(processName, (graph = toImplementation(evaluate(processName, false))))
      return graph
    },
  }
}

function checked(exported: unknown, file: string): Implementation {
  const problem = adapterProblem(exported)
  if (problem !== null) throw new LoadError(file, `${problem}; see \`onceproof init\` for one that runs`)
  return exported as Implementation
}
