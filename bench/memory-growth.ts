/**
 * Checks that no memory outlives its run, over as many runs as a nightly campaign plays. Reads the
 * heap after full garbage collections.
 */
import type { Player } from './checkout/player.ts'

export interface GrowthReading {
  readonly runs: number
  readonly heapUsedMb: number
}

export interface GrowthResult {
  readonly scenario: string
  readonly readings: readonly GrowthReading[]
  /** The growth over the last half of the runs. */
  readonly grownMb: number
  readonly aimMb: number
  readonly met: boolean
}

export interface GrowthPlan {
  readonly quick: boolean
  /** Measures only scenarios whose id contains this text. */
  readonly only: string
  readonly print: (line: string) => void
}

const long: readonly { readonly scenario: string; readonly runs: number }[] = [
  { scenario: 'redis-failover', runs: 20_000 },
  { scenario: 'cluster-failover', runs: 5_000 },
]

/** The heap is read after these tenths of the runs. */
const readAfter = [1, 3, 5, 6, 7, 8, 9, 10]

const aimMb = 0.5

/** Measures each scenario in a new process that `startPlayer` starts, with `--expose-gc`. */
export async function measureGrowth(startPlayer: () => Promise<Player>, plan: GrowthPlan): Promise<GrowthResult[]> {
  const results: GrowthResult[] = []
  for (const { scenario, runs } of long.filter((one) => one.scenario.includes(plan.only)))
    results.push(await measureOne(await startPlayer(), scenario, plan.quick ? runs / 100 : runs, plan.print))
  return results
}

async function measureOne(
  player: Player,
  scenario: string,
  runs: number,
  print: GrowthPlan['print'],
): Promise<GrowthResult> {
  const readings: GrowthReading[] = []
  try {
    for (const tenths of readAfter) {
      const to = (runs * tenths) / 10
      const heapUsedMb = await player.ask({ do: 'grow', scenario, from: readings.at(-1)?.runs ?? 0, to })
      readings.push({ runs: to, heapUsedMb })
      print(`${scenario}: ${heapUsedMb.toFixed(2)} MB after ${to} runs`)
    }
  } finally {
    await player.close()
  }
  return { scenario, readings, ...growthOf(readings) }
}

/** The growth from the reading at half of the runs to the last reading. */
export function growthOf(readings: readonly GrowthReading[]): Pick<GrowthResult, 'grownMb' | 'aimMb' | 'met'> {
  const last = readings.at(-1)!
  const half = readings.find(({ runs }) => runs >= last.runs / 2)!
  const grownMb = last.heapUsedMb - half.heapUsedMb
  return { grownMb, aimMb, met: grownMb < aimMb }
}
