/** Every selected implementation under every selected scenario, loaded once to see that they can be. */
import type { PairChoice } from '../campaign/campaign-request.ts'
import type { RecordedRun } from '../campaign/token.ts'
import type { Workbench } from '../campaign/workbench.ts'
import type { SinkKind } from '../contract/sink.ts'
import { catalogue } from './catalogue.ts'
import { choose } from './choose.ts'
import { chooseLayers, type WantedLayers } from './choose-layers.ts'
import type { Selected } from './select.ts'
import { unusable } from './shapes.ts'
import { UsageError } from './usage-error.ts'

export interface Wanted extends WantedLayers {
  /** Without names: all of the catalogue. */
  readonly scenarios: readonly string[] | undefined
}

/** The layer that every default run ends with: it must break under this scenario. */
const control = { implementation: '001-get-set', scenario: 'competing-consumers' } as const

/** `leaves` is told of each pair that cannot be run. @throws UsageError, LoadError */
export async function choosePairs(
  wanted: Wanted,
  corpus: readonly RecordedRun[],
  bench: Workbench,
  leaves: (why: string) => void = () => {},
): Promise<PairChoice[]> {
  const all = catalogue('scenario').map(({ id }) => id)
  const scenarios = await choose('scenario', wanted.scenarios ?? all, bench)
  const implementations = await chooseLayers(wanted, bench)
  const pairs: PairChoice[] = []
  const left: string[] = []
  for (const layer of implementations) {
    for (const scenario of scenarios) {
      const why = unusable(layer.implementation, await bench.loadScenario(scenario.path))
      if (why === null) pairs.push(pairOf(layer, scenario, wanted.sink, corpus))
      else left.push(why)
    }
  }
  if (pairs.length === 0 && left.length > 0) throw new UsageError('nothing to run', left.join('; '))
  left.forEach(leaves)
  return pairs
}

export async function controlPair(bench: Workbench): Promise<PairChoice> {
  const [implementation] = await choose('implementation', [control.implementation], bench)
  const [scenario] = await choose('scenario', [control.scenario], bench)
  return pairOf(implementation!, scenario!, 'plain', [])
}

function pairOf(
  implementation: Selected,
  scenario: Selected,
  sink: SinkKind,
  corpus: readonly RecordedRun[],
): PairChoice {
  return {
    ...{ scenarioPath: scenario.path, scenarioName: scenario.name, sink },
    ...{ implementationPath: implementation.path, implementationName: implementation.name },
    corpus: corpus.filter(
      (run) => run.scenario === scenario.name && run.implementation === implementation.name && run.sink === sink,
    ),
  }
}
