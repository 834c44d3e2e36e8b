import type { AdapterFiles, UserSources } from 'virtual-node/runtime'
import { install, LoadError } from 'virtual-node/runtime'
import { currentAdapter } from '../../contract/api/former-names.ts'
import type { Implementation } from '../../contract/api/implementation.ts'
import { adapterProblem } from './adapter-problem.ts'
import { ModuleGraph } from './loader.ts'
import { adapterOf, isMutant, patchedSources } from './mutants.ts'

export { LoadError }

/** An adapter, with a separate module graph for every process that runs it. */
export interface LoadedImplementation {
  readonly implementation: Implementation
  readonly path: string
  /**
   * Returns the adapter in the module graph of the process with this name, which contains its slot
   * and incarnation. The graph is made once and reused by later runs. `fresh` makes a new graph, to
   * check what leaks through module state. Must be called in a turn of the process. Returns a
   * promise if loading the adapter waits.
   * @throws any error that the adapter's modules throw
   */
  instantiate(processName: string, fresh: boolean): Implementation | Promise<Implementation>
  /**
   * Loads the modules that processes imported by computed names for the first time. Null if there
   * are no such modules; otherwise the run is void and must be played again.
   */
  takeIn(): Promise<void> | null
  /**
   * All scripts that the adapter knew after loading, whether it sends them or not; as bytes, one
   * character each.
   */
  readonly scripts: readonly string[]
  /**
   * The sources of the adapter, for mapping stacks; absent if none of its code runs in this thread.
   */
  readonly sources?: Pick<UserSources, 'caller' | 'framesOf'>
  /** True if the adapter's code runs in separate operating-system processes, not in this thread. */
  readonly elsewhere?: true
  /** True for a mutant, whose sources are patched in memory when they are loaded. */
  readonly mutant?: true
  /**
   * A digest of the adapter's files without packages, or of a program's scripts: 8 hex digits,
   * equal on every machine.
   */
  readonly digest: string
  /**
   * The files that processes of the adapter may read, and the files that they read while loading.
   */
  readonly files: AdapterFiles
}

/**
 * Loads an adapter, or a mutant of the reference.
 * @throws LoadError, PatchError
 */
export async function loadImplementation(file: string): Promise<LoadedImplementation> {
  install()
  const graph = await ModuleGraph.load(file, new Map())
  if (!isMutant(graph.exported)) return reused(graph, file, (exported) => checked(exported, file))
  const { id, about, hunt } = graph.exported
  const adapter = adapterOf(graph.exported)
  const mutated = await ModuleGraph.load(adapter, patchedSources(graph.exported))
  const identity = { id, about, hunt, expect: 'broken' as const }
  const loaded = reused(mutated, file, (exported) => ({ ...checked(exported, adapter), ...identity }))
  return Object.assign(loaded, { mutant: true as const })
}

/**
 * Id, description and hunt of an adapter or a mutant. Does not build the mutant. @throws LoadError
 */
export async function readIdentity(file: string): Promise<Pick<Implementation, 'id' | 'about' | 'hunt'>> {
  install()
  const { exported } = await ModuleGraph.load(file, new Map())
  return isMutant(exported) ? exported : checked(exported, file)
}

function reused(
  graph: ModuleGraph,
  file: string,
  toImplementation: (exported: unknown) => Implementation,
): LoadedImplementation {
  const implementation = toImplementation(graph.exported)
  let evaluated = new Map<string, Implementation>([['consumer-1', implementation]])
  return {
    implementation,
    path: file,
    digest: graph.digest,
    files: graph.files,
    sources: graph.sources,
    get scripts() {
      return graph.scripts
    },
    instantiate(processName, fresh) {
      const known = fresh || graph.livesInProcess ? undefined : evaluated.get(processName)
      if (known !== undefined) return known
      const exported = graph.evaluate(processName, fresh)
      if (exported instanceof Promise) return exported.then(toImplementation)
      const own = toImplementation(exported)
      if (!fresh && !graph.livesInProcess) evaluated.set(processName, own)
      return own
    },
    takeIn() {
      const loading = graph.takeIn()
      if (loading === null) return null
      return loading.then(() => {
        evaluated = new Map([['consumer-1', toImplementation(graph.exported)]])
      })
    },
  }
}

function checked(exported: unknown, file: string): Implementation {
  const adapter = currentAdapter(exported)
  const problem = adapterProblem(adapter)
  if (problem !== null) throw new LoadError(file, `${problem}; see \`onceproof init\` for one that runs`)
  return adapter as Implementation
}
