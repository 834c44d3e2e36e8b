/** Selects the cells of a matrix. */
import type { PairPlan } from '../campaign/play/campaign-request.ts'
import { unusable } from '../campaign/play/unusable.ts'
import type { Implementation } from '../contract/api/implementation.ts'
import { runMsOf } from '../contract/api/scenario.ts'
import type { SinkKind } from '../contract/api/sink.ts'
import { catalogue, isAssuming, isCanary, isLibrary, isOtherEntryPoint } from './catalogue.ts'
import { type Loaders, layerRef, pairOf, selectScenarios, selectVersions } from './select.ts'
import { UsageError } from './usage-error.ts'

export interface WantedCells {
  /** The layers. Undefined: the reference and the articles' patterns. */
  readonly implementations: readonly string[] | undefined
  /** If given: each implementation is upgraded to this version during the run. */
  readonly next?: string | undefined
  /** The scenarios. Undefined: the whole catalogue. */
  readonly scenarios: readonly string[] | undefined
  /** The sink for all layers. Absent: every sink that a layer can use. */
  readonly sink?: SinkKind
  /**
   * The number of runs for each cell: for a layer that is expected to hold, for a layer that is
   * expected to be broken, and for any layer under a pure scenario.
   */
  readonly runs: { readonly holds: number; readonly broken: number; readonly pure: number }
}

/**
 * The cells of a matrix: every layer on every sink that it can use, under every scenario. Sorted by
 * layer, sink and scenario. Past failures are not included; only `run` replays them. A cell ends
 * when at-most-once breaks in it. `leaves` is called with the reason for each layer without cells.
 * @throws UsageError, LoadError
 */
export async function selectCells(
  wanted: WantedCells,
  deps: Loaders,
  leaves: (why: string) => void = () => {},
): Promise<PairPlan[]> {
  const scenarios = await selectScenarios(wanted.scenarios, deps)
  const layers = await selectVersions(wanted.implementations ?? layerIds(), wanted.next, deps)
  const cells: PairPlan[] = []
  const left: string[] = []
  for (const layer of layers) {
    const { implementation } = await deps.loadImplementation(layer.path)
    const { sinks = ['plain'], expect = 'holds' } = implementation
    const usable = sinks.filter((kind) => wanted.sink === undefined || kind === wanted.sink)
    const reasons = usable.length === 0 ? [sinkless(implementation)] : []
    const before = cells.length
    for (const sink of usable)
      for (const where of scenarios) {
        const scenario = await deps.loadScenario(where.scenarioPath)
        const why = unusable(implementation, scenario, sink)
        if (why !== null) {
          reasons.push(why)
          continue
        }
        const choice = pairOf(layerRef(layer, sink), where, [], runMsOf(scenario))
        const runs = wanted.runs[scenario.onlyFaults === undefined ? expect : 'pure']
        cells.push({ choice, bound: { runs }, until: 'at-most-once' })
      }
    if (cells.length === before) left.push(reasons[0]!)
  }
  if (cells.length === 0 && left.length > 0) throw new UsageError('nothing to run', left.join('; '))
  left.forEach(leaves)
  return cells
}

/** Why the layer has no cell: it cannot be played on a wanted sink. */
function sinkless({ id, sinks = ['plain'] }: Pick<Implementation, 'id' | 'sinks'>): string {
  return sinks.length === 0
    ? `${id}: skipped, its versions have no supported sink in common`
    : `${id}: skipped, supports ${sinks.join(' and ')} sinks only`
}

/**
 * The ids of the reference and of the articles' patterns. Excluded are canaries, which are broken
 * on purpose; layers that are correct only under assumptions that scenarios break; adapters of the
 * reference's other entry points; and libraries, which may not be installed.
 */
function layerIds(): string[] {
  return catalogue('implementation')
    .filter((entry) => !isCanary(entry) && !isAssuming(entry) && !isOtherEntryPoint(entry) && !isLibrary(entry))
    .map(({ id }) => id)
}
