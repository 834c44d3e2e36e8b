/** What a run of the reference costs in each scenario: the figures for the scenarios' `runMs`. */
import type { ScenarioName } from './checkout/checkout.ts'
import type { Player } from './checkout/player.ts'
import { median, type Spread, spreadOf } from './spread.ts'

export interface ScenarioCost {
  readonly scenario: string
  readonly shape: string
  readonly cpuMsPerRun: Spread
  /** To write into the scenario's file: two significant digits. */
  readonly runMs: number
  /** What stands there. */
  readonly statedRunMs: number | null
}

export interface ScenarioCostsPlan {
  readonly rounds: number
  readonly quick: boolean
  /** Scenarios whose id contains it. */
  readonly only: string
  readonly tell: (line: string) => void
}

const runsPerRound = { single: 60, sentinel: 16, cluster: 8 }

export async function measureScenarioCosts(
  player: Player,
  { rounds, quick, only, tell }: ScenarioCostsPlan,
): Promise<ScenarioCost[]> {
  const scenarios = (await player.ask({ do: 'scenarios' })).filter(({ id }) => id.includes(only))
  const ofRounds: number[][] = []
  // The first round compiles.
  for (let round = 0; round <= rounds; round++) {
    tell(round === 0 ? 'scenarios: warming up' : `scenarios, round ${round} of ${rounds}`)
    const costs: number[] = []
    for (const { id, shape } of scenarios) {
      const count = quick ? 2 : runsPerRound[shape]
      const names = Array.from({ length: count }, (_, at) => ({ scenario: id, run: round * count + at }))
      const runs = await player.ask({ do: 'draw', runs: names })
      costs.push((await player.ask({ do: 'play', runs })).cpuMs / count)
    }
    if (round > 0) ofRounds.push(costs)
  }
  return costsOf(scenarios, ofRounds)
}

/** A slow round of the machine is slow for all: each is scaled to the sum that rounds have at the median. */
export function costsOf(scenarios: readonly ScenarioName[], rounds: readonly (readonly number[])[]): ScenarioCost[] {
  const sums = rounds.map((costs) => costs.reduce((sum, ms) => sum + ms, 0))
  const usual = median(sums)
  return scenarios.map(({ id, shape, runMs }, at) => {
    const cpuMsPerRun = spreadOf(rounds.map((costs, round) => (costs[at]! * usual) / sums[round]!))
    return {
      ...{ scenario: id, shape, cpuMsPerRun },
      ...{ runMs: Number(cpuMsPerRun.median.toPrecision(2)), statedRunMs: runMs },
    }
  })
}
