import type { AdapterFiles, UserSources } from 'virtual-node/runtime'
import { install, LoadError } from 'virtual-node/runtime'
import { currentAdapter } from '../../contract/api/former-names.ts'
import type { Implementation } from '../../contract/api/implementation.ts'
import { adapterProblem } from './adapter-problem.ts'
import { ModuleGraph } from './loader.ts'
import { adapterOf, isMutant, patchedSources } from './mutants.ts'

export { LoadError }

/** An adapter, and a module graph of its own for every process that runs it. */
export interface LoadedImplementation {
  readonly implementation: Implementation
  readonly path: string
  /**
   * The adapter in the module graph of that process slot and incarnation: made once, reused by
   * later runs. `fresh` makes a new one, for checks of what leaks through module state. Called in a
   * turn of that process. A promise where the adapter waits while it is loaded.
   * @throws what its modules throw
   */
  instantiate(processName: string, fresh: boolean): Implementation | Promise<Implementation>
  /**
   * Takes in modules that processes were the first to name, by computed names. Null for none;
   * otherwise what these processes did is void, and to be played again.
   */
  takeIn(): Promise<void> | null
  /**
   * The scripts that it knew once it was loaded, whether it sends them or not; in bytes, one
   * character each.
   */
  readonly scripts: readonly string[]
  /** Its sources, as stacks lead to them; absent where none of its code is in this thread. */
  readonly sources?: Pick<UserSources, 'caller' | 'framesOf'>
  /** Its code runs in processes of its own: none of it is in this thread. */
  readonly elsewhere?: true
  /** A mutant: its sources are changed as they are loaded here, and nowhere else. */
  readonly mutant?: true
  /**
   * A digest of its files without packages, or of a program's scripts: 8 hex digits, equal on every
   * machine.
   */
  readonly digest: string
  /** Which files its processes may read, and which they read while they were loaded. */
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

/** What an adapter or a mutant says of itself; without building the mutant. @throws LoadError */
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
