/** Plays layers in this process without gate, control and story, which have other tests. */
import { drawRun } from '../../src/campaign/play/draw-run.ts'
import { planOf } from '../../src/campaign/play/run-chunk.ts'
import { unusable } from '../../src/campaign/play/unusable.ts'
import { catalogue } from '../../src/cli/catalogue.ts'
import { createDeps } from '../../src/cli/create-deps.ts'
import type { SinkKind } from '../../src/contract/api/sink.ts'
import { pairById } from '../scenarios/pair-by-id.ts'

export interface Played {
  readonly layer: string
  readonly scenario: string
  readonly sink: SinkKind
  readonly runs: number
  readonly seed?: number
}

export interface Broken {
  readonly run: number
  readonly kinds: readonly string[]
}

const deps = createDeps(() => false)

/** The runs that violate an invariant, as they are found. @throws if a run cannot be judged */
async function* breaks({ layer, scenario, sink, runs, seed }: Played): AsyncGenerator<Broken> {
  const { task, pair } = await pairById(layer, scenario, deps)
  for (let run = 0; run < runs; run++) {
    const { value, choiceSeed } = drawRun(pair.scenario, seed ?? task.seed, run)
    const plan = planOf(task, value.value)
    const { history } = await deps.runWorld({ ...pair, sink, plan, choices: { seed: choiceSeed }, record: false })
    const judged = deps.judge(history, pair.scenario.invariants, pair.scenario.own)
    const kinds: string[] = []
    for (const { name, verdict } of judged) {
      if (verdict.verdict === 'unknown')
        throw new Error(`${layer} × ${scenario}, run ${run}: ${name}: ${verdict.reason}`)
      if (verdict.verdict === 'violated') kinds.push(...verdict.violations.map(({ kind }) => kind))
    }
    if (kinds.length > 0) yield { run, kinds }
  }
}

export async function brokenRuns(played: Played): Promise<Broken[]> {
  const found: Broken[] = []
  for await (const one of breaks(played)) found.push(one)
  return found
}

/** The number of the first violating run, counted from 1; null if all hold. */
export async function firstBreak(played: Played): Promise<number | null> {
  for await (const { run } of breaks(played)) return run + 1
  return null
}

/** The scenarios of the catalogue that fit the layer. */
export async function scenariosOf(layer: string, sink: SinkKind): Promise<string[]> {
  const { path } = catalogue('implementation').find(({ id }) => id === layer)!
  const { implementation } = await deps.loadImplementation(path)
  const scenarios = await Promise.all(catalogue('scenario').map((one) => deps.loadScenario(one.path)))
  return scenarios.filter((scenario) => unusable(implementation, scenario, sink) === null).map(({ id }) => id)
}
