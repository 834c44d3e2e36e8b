/** What a campaign came to for each layer: its verdict over all scenarios, and what broke it. */

import { severityOf } from '../contract/api/severity.ts'
import type { SinkKind } from '../contract/api/sink.ts'
import type { PairResult, Results, RootCause } from '../contract/results/results.ts'
import { type Break, breaksOf } from './break.ts'

export interface LayerOutcome {
  readonly implementation: string
  readonly sink: SinkKind
  readonly pairs: readonly PairResult[]
  /** The likeliest first; empty if no finding explains what broke. */
  readonly rootCauses: readonly RootCause[]
  /** Findings by root cause, then violations without a finding. Empty if nothing broke. */
  readonly breaks: readonly Break[]
}

/** `reference, keyed sink`: a plain one is not named. */
export const layerName = ({ implementation, sink }: Pick<PairResult, 'implementation' | 'sink'>): string =>
  sink === 'plain' ? implementation : `${implementation}, ${sink} sink`

/**
 * Those that did not break come first, then the gravest last: the end of what is printed is what is
 * seen.
 */
export function layersOf(
  results: Pick<Results, 'pairs' | 'findings' | 'rootCauses'> & Partial<Pick<Results, 'timings'>>,
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
    return { ...layer, rootCauses: results.rootCauses.filter(isOwn), breaks: breaks.filter(isOwn) }
  })
  return outcomes.sort((a, b) => rank(a) - rank(b))
}

/** The higher, the worse; what nobody expected is worse than what a layer says of itself. */
function rank({ breaks, pairs }: LayerOutcome): number {
  const [worst] = breaks
  if (worst === undefined) return 0
  const surprise = pairs.some(({ expect }) => expect === 'holds') ? 1_000 : 0
  return 100 - severityOf(worst.cause) + surprise
}
