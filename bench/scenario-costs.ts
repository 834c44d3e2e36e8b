/** Measures the cost of a run of the reference in each scenario, for the scenarios' `runMs`. */
import type { ScenarioName } from './checkout/checkout.ts'
import type { DrawnOf, Player } from './checkout/player.ts'
import { type Spread, spreadOf } from './spread.ts'

export interface ScenarioCost {
  readonly scenario: string
  readonly shape: string
  readonly cpuMsPerRun: Spread
  /** The value for the scenario's file: the cost in the lowest round, to two significant digits. */
  readonly runMs: number
  /** The value that the scenario's file states now. */
  readonly statedRunMs: number | null
}

export interface ScenarioCostsPlan {
  readonly rounds: number
  readonly quick: boolean
  /** Measures only scenarios whose id contains this text. */
  readonly only: string
  readonly print: (line: string) => void
}

const runsPerRound = { single: 40, sentinel: 16, cluster: 8, independent: 24 }

/** Every round plays the same runs, so that rounds differ only by the machine. */
export async function measureScenarioCosts(
  player: Player,
  { rounds, quick, only, print }: ScenarioCostsPlan,
): Promise<ScenarioCost[]> {
  const scenarios = (await player.ask({ do: 'scenarios' })).filter(({ id }) => id.includes(only))
  const batches: (readonly DrawnOf[])[] = []
  for (const { id, shape } of scenarios) {
    const count = quick ? 2 : runsPerRound[shape]
    const runs = Array.from({ length: count }, (_, run) => ({ scenario: id, run }))
    batches.push(await player.ask({ do: 'draw', runs }))
  }
  const ofRounds: number[][] = []
  // The first round is not counted, because it includes compilation.
  for (let round = 0; round <= rounds; round++) {
    print(round === 0 ? 'scenarios: warming up' : `scenarios, round ${round} of ${rounds}`)
    const costs: number[] = []
    for (const runs of batches) costs.push((await player.ask({ do: 'play', runs })).cpuMs / runs.length)
    if (round > 0) ofRounds.push(costs)
  }
  return costsOf(scenarios, ofRounds)
}

/** Computes `runMs` from the lowest round, because disturbances of the machine only add time. */
export function costsOf(scenarios: readonly ScenarioName[], rounds: readonly (readonly number[])[]): ScenarioCost[] {
  return scenarios.map(({ id, shape, runMs }, at) => {
    const cpuMsPerRun = spreadOf(rounds.map((costs) => costs[at]!))
    return {
      scenario: id,
      shape,
      cpuMsPerRun,
      runMs: Number(cpuMsPerRun.low.toPrecision(2)),
      statedRunMs: runMs,
    }
  })
}
