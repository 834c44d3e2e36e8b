/** Every selected implementation under every selected scenario, loaded once to see that they can be. */
import type { PairChoice } from '../campaign/campaign-request.ts'
import type { RecordedRun } from '../campaign/token.ts'
import type { Workbench } from '../campaign/workbench.ts'
import type { SinkKind } from '../contract/sink.ts'
import { catalogue, type Kind } from './catalogue.ts'
import { type Selected, select } from './select.ts'
import { UsageError } from './usage-error.ts'

export interface Wanted {
  /** Without names: the reference. */
  readonly implementations: readonly string[] | undefined
  /** Without names: all of the catalogue. */
  readonly scenarios: readonly string[] | undefined
  readonly sink: SinkKind
}

/** The layer that every default run ends with: it must break under this scenario. */
const control = { implementation: '001-get-set', scenario: 'competing-consumers' } as const

/** @throws UsageError, LoadError */
export async function choosePairs(
  wanted: Wanted,
  corpus: readonly RecordedRun[],
  bench: Workbench,
): Promise<PairChoice[]> {
  const all = catalogue('scenario').map(({ id }) => id)
  const scenarios = await choose('scenario', wanted.scenarios ?? all, bench)
  const implementations = await choose('implementation', wanted.implementations ?? ['reference'], bench)
  for (const scenario of scenarios) await bench.loadScenario(scenario.path)
  for (const { path, name } of implementations) {
    const { sinks = ['plain'] } = (await bench.loadImplementation(path)).implementation
    if (!sinks.includes(wanted.sink))
      throw new UsageError(`--sink ${wanted.sink}`, `${name} says that it can use ${sinks.join(' and ')} only`)
  }
  return implementations.flatMap((implementation) =>
    scenarios.map((scenario) => pairOf(implementation, scenario, wanted.sink, corpus)),
  )
}

export async function controlPair(bench: Workbench): Promise<PairChoice> {
  const [implementation] = await choose('implementation', [control.implementation], bench)
  const [scenario] = await choose('scenario', [control.scenario], bench)
  return pairOf(implementation!, scenario!, 'plain', [])
}

export function choose(kind: Kind, names: readonly string[], bench: Workbench): Promise<Selected[]> {
  return select(kind, names, async (file) => {
    if (kind === 'scenario') return (await bench.loadScenario(file)).id
    return (await bench.loadImplementation(file)).implementation.id
  })
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
