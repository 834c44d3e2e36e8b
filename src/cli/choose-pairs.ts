/** Every selected implementation under every selected scenario, loaded once to see that they can be. */

import type { CampaignDeps } from '../campaign/campaign-deps.ts'
import type { CampaignRequest, PairChoice } from '../campaign/campaign-request.ts'
import type { RecordedRun } from '../campaign/token.ts'
import { runMsOf } from '../contract/scenario.ts'
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
  deps: CampaignDeps,
  leaves: (why: string) => void = () => {},
): Promise<PairChoice[]> {
  const all = catalogue('scenario').map(({ id }) => id)
  const scenarios = await choose('scenario', wanted.scenarios ?? all, deps)
  const implementations = await chooseLayers(wanted, deps)
  const pairs: PairChoice[] = []
  const left: string[] = []
  for (const layer of implementations) {
    for (const scenario of scenarios) {
      const loaded = await deps.loadScenario(scenario.path)
      const why = unusable(layer.implementation, loaded)
      if (why === null) pairs.push(pairOf(layer, scenario, wanted.sink, corpus, runMsOf(loaded)))
      else left.push(why)
    }
  }
  if (pairs.length === 0 && left.length > 0) throw new UsageError('nothing to run', left.join('; '))
  left.forEach(leaves)
  return pairs
}

export async function controlPair(deps: CampaignDeps): Promise<PairChoice> {
  const [implementation] = await choose('implementation', [control.implementation], deps)
  const [scenario] = await choose('scenario', [control.scenario], deps)
  return pairOf(implementation!, scenario!, 'plain', [], 0)
}

function pairOf(
  implementation: Selected,
  scenario: Selected,
  sink: SinkKind,
  corpus: readonly RecordedRun[],
  runMs: number,
): PairChoice {
  return {
    runMs,
    scenarioPath: scenario.path,
    scenarioName: scenario.name,
    sink,
    implementationPath: implementation.path,
    implementationName: implementation.name,
    corpus: corpus.filter(
      (run) => run.scenario === scenario.name && run.implementation === implementation.name && run.sink === sink,
    ),
  }
}

/** The catalogue's scenarios, the cheapest first: counterexamples are looked for in them. @throws LoadError */
export async function cheapestScenarios(deps: CampaignDeps): Promise<CampaignRequest['cheaper']> {
  const all = await Promise.all(
    catalogue('scenario').map(async ({ id, path }) => {
      const runMs = runMsOf(await deps.loadScenario(path))
      return { scenarioPath: path, scenarioName: id, runMs }
    }),
  )
  return all.sort((a, b) => a.runMs - b.runMs || (a.scenarioName < b.scenarioName ? -1 : 1))
}
