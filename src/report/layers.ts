/** The result of a campaign for each layer: its verdict over all scenarios, and its violations. */

import { severityOf } from '../contract/api/severity.ts'
import type { SinkKind } from '../contract/api/sink.ts'
import type { ExploredLayer, PairResult, Results, RootCause } from '../contract/results/results.ts'
import { type Break, breaksOf } from './break.ts'

export interface LayerOutcome {
  readonly implementation: string
  readonly sink: SinkKind
  readonly pairs: readonly PairResult[]
  /** The root causes, the likeliest first; empty if no finding explains the violations. */
  readonly rootCauses: readonly RootCause[]
  /** Findings by root cause, then violations without a finding. Empty if the layer held. */
  readonly breaks: readonly Break[]
  /** Absent: the layer was not explored on this sink. */
  readonly explored?: ExploredLayer
}

/** The layer with its sink: `reference, keyed sink`. A plain sink is not named. */
export const layerName = ({ implementation, sink }: Pick<PairResult, 'implementation' | 'sink'>): string =>
  sink === 'plain' ? implementation : `${implementation}, ${sink} sink`

/**
 * Layers that held come first and the most severe violations last, because the end of the output
 * stays visible.
 */
export function layersOf(
  results: Pick<Results, 'pairs' | 'findings' | 'rootCauses'> & Partial<Pick<Results, 'timings' | 'explored'>>,
): LayerOutcome[] {
  const breaks = breaksOf(results)
  const layers = new Map<string, { implementation: string; sink: SinkKind; pairs: PairResult[] }>()
  for (const pair of results.pairs) {
    const { implementation, sink } = pair
    const name = `${implementation} ${sink}`
    const layer = layers.get(name) ?? { implementation, sink, pairs: [] }
    layer.pairs.push(pair)
    layers.set(name, layer)
  }
  const outcomes = [...layers.values()].map((layer) => {
    const isOwn = ({ implementation, sink }: Pick<RootCause, 'implementation' | 'sink'>) =>
      implementation === layer.implementation && sink === layer.sink
    const explored = results.explored?.find(isOwn)
    return {
      ...layer,
      rootCauses: results.rootCauses.filter(isOwn),
      breaks: breaks.filter(isOwn),
      ...(explored === undefined ? {} : { explored }),
    }
  })
  return outcomes.sort((a, b) => rank(a) - rank(b))
}

/**
 * The severity; higher is worse. A violation of a layer that should hold is worse than one of a
 * layer that is declared broken.
 */
function rank({ breaks, pairs }: LayerOutcome): number {
  const [worst] = breaks
  if (worst === undefined) return 0
  const surprise = pairs.some(({ expect }) => expect === 'holds') ? 1_000 : 0
  return 100 - severityOf(worst.cause) + surprise
}
