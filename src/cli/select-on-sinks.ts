import type { PairChoice } from '../campaign/play/campaign-request.ts'
import type { RecordedRun } from '../campaign/token/token.ts'
import type { SinkKind } from '../contract/api/sink.ts'
import { twoVersions } from '../contract/api/two-versions.ts'
import { type Loaders, selectPairs, selectVersions, type WantedPairs } from './select.ts'
import { UsageError } from './usage-error.ts'

/**
 * Like `selectPairs`, for several sinks: each layer is played on the sinks that it can use. A
 * single undefined entry means the default sink and, in scenarios that depend on the sink, also the
 * other sinks that the layer declares.
 * @throws UsageError if a layer can use none of the sinks, LoadError
 */
export async function selectPairsOn(
  sinks: readonly (SinkKind | undefined)[],
  wanted: Omit<WantedPairs, 'sink'>,
  corpus: readonly RecordedRun[],
  deps: Loaders,
  leaves: (why: string) => void,
): Promise<PairChoice[]> {
  const [only] = sinks
  if (sinks.length === 1)
    return selectPairs({ ...wanted, sink: only, onOtherSinks: only === undefined }, corpus, deps, leaves)
  const pairs: PairChoice[] = []
  const { implementations = ['reference'], next } = wanted
  for (const { name, path } of await selectVersions(implementations, next, deps)) {
    const { sinks: can = ['plain'] } = (await deps.loadImplementation(path)).implementation
    const usable = sinks.filter((sink) => sink !== undefined && can.includes(sink))
    if (usable.length === 0)
      throw new UsageError(
        `sinks ${sinks.join(', ')}`,
        `${name} supports ${can.length === 0 ? 'no sink' : `${can.join(' and ')} sinks only`}`,
      )
    for (const sink of usable)
      pairs.push(
        ...(await selectPairs(
          { ...wanted, implementations: [twoVersions(name) ?? name], next: undefined, sink },
          corpus,
          deps,
          sink === usable[0] ? leaves : undefined,
        )),
      )
  }
  return pairs
}
