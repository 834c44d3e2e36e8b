/**
 * Finds the passing runs of a layer that stress it most: first the runs in which the most faults
 * struck, then the runs with the most commands.
 */
import type { SinkKind } from '../../contract/api/sink.ts'
import { drawRun } from '../play/draw-run.ts'
import type { LoadedPair } from '../play/load-pair.ts'
import type { RecordedRun } from '../token/token.ts'
import { trailOf } from '../token/trail.ts'
import type { CampaignDeps, RealServers } from '../types.ts'
import { type ScheduledRun, scheduleOfRun } from './run-schedule.ts'
import { whyNotMade } from './why-not-made.ts'

export interface Pass {
  readonly pair: LoadedPair
  readonly recorded: RecordedRun
  readonly scheduled: ScheduledRun
}

export interface PassesWanted {
  readonly wanted: number
  readonly seed: number
  /** The number of runs of each scenario to consider. */
  readonly runs: number
  readonly sink: SinkKind
  /** The maximum duration of a run in real milliseconds. */
  readonly atMostMs: number
}

/**
 * Returns runs that can be made on real servers, the hardest first; fewer than `wanted` if there
 * are not enough.
 */
export async function hardestPasses(
  pairs: readonly LoadedPair[],
  { wanted, seed, runs, sink, atMostMs }: PassesWanted,
  host: RealServers,
  deps: CampaignDeps,
): Promise<Pass[]> {
  let hardest: Pass[] = []
  for (const pair of pairs)
    for (let run = 0; run < runs && !deps.stopped(); run++) {
      const recorded = drawn(pair, sink, seed, run)
      const scheduled = await scheduleOfRun(pair, recorded, deps, { looks: true })
      if (scheduled.broke !== null || whyNotMade(scheduled, host, atMostMs) !== null) continue
      const found = { pair, recorded: { ...recorded, ...trailOf(scheduled.result) }, scheduled }
      hardest = [...hardest, found].sort(hardestFirst).slice(0, wanted)
    }
  const passes: Pass[] = []
  for (const { pair, recorded } of hardest) {
    if (deps.stopped()) break
    const scheduled = await scheduleOfRun(pair, recorded, deps)
    const canBeMade = whyNotMade(scheduled, host, atMostMs) === null
    if (scheduled.broke === null && canBeMade) passes.push({ pair, recorded, scheduled })
  }
  return passes
}

function hardestFirst({ scheduled: { result: a } }: Pass, { scheduled: { result: b } }: Pass): number {
  return b.strikes.length - a.strikes.length || b.executed.length - a.executed.length
}

function drawn({ scenario, implementation }: LoadedPair, sink: SinkKind, seed: number, run: number): RecordedRun {
  const { value, choiceSeed } = drawRun(scenario, seed, run)
  const names = { scenario: scenario.id, implementation: implementation.implementation.id, sink }
  return { ...names, seed, run, plan: value.value, choiceSeed, stepCount: 0, trail: '', digest: '' }
}
