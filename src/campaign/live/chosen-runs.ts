/** Which runs of a pair are made live, with the plans that they have. */
import type { NotMadeLive } from '../../contract/results.ts'
import type { Scenario } from '../../contract/scenario.ts'
import { drawRun } from '../draw-run.ts'
import type { LoadedPair } from '../load-pair.ts'
import type { PairRef } from '../pair-ref.ts'
import { failoverPlans, shapeOf } from './failover-plans.ts'
import { type ChosenRun, notAskedOf } from './goals-not-asked.ts'
import type { LiveHost } from './live-host.ts'
import type { LiveContext, LivePairRequest } from './live-pair.ts'
import type { PlannedRun, SelectionRequest } from './perturbed-runs.ts'
import { runAsRecorded } from './run-as-recorded.ts'
import { selectLiveRuns } from './select-live-runs.ts'

export interface LiveChoice {
  readonly runs: readonly ChosenRun[]
  /** What kept other runs from being made, and in which of them first. */
  readonly refused: readonly (NotMadeLive & { readonly run: number })[]
  /** Why there is none; null where there is one. */
  readonly whyNone: string | null
}

const only = (run: ChosenRun): LiveChoice => ({ runs: [run], refused: [], whyNone: null })

export async function chooseRuns(
  pair: LoadedPair,
  { sink }: PairRef,
  request: LivePairRequest,
  { deps, host }: LiveContext,
): Promise<LiveChoice> {
  const { run, runs, longestMs, recorded } = request
  const { scenario } = pair
  const shape = shapeFor(scenario, request)
  const selection: SelectionRequest = {
    sink,
    wanted: runs,
    // Real machines take their time, too.
    longestMs: longestMs * 0.7,
    planned: (number) => plannedRun(scenario, request, number, host),
    notMade: (plan) => host.notMade(plan, shape),
  }
  if (recorded !== null) return only(await runAsRecorded(pair, selection, recorded.run, deps))
  if (failoverPlans[scenario.id] !== undefined)
    return only({ run: 0, way: null, says: 'its plan was made for live runs', reaches: null })
  if (run !== null) return only({ run, way: null, says: notAskedOf, reaches: new Map() })
  return selectLiveRuns(pair, selection, deps)
}

/** As drawn or recorded, and scaled; where Sentinels watch, one that was made for live runs, in real milliseconds. */
export function plannedRun(
  scenario: Scenario,
  { seed, recorded }: LivePairRequest,
  run: number,
  { scaled }: LiveHost,
): PlannedRun {
  if (recorded !== null) {
    const { plan, choiceSeed, choices } = recorded
    return { plan: scaled(plan), choiceSeed, ...(choices === undefined ? {} : { choices }) }
  }
  const made = failoverPlans[scenario.id]
  if (made !== undefined) return { plan: made.plan, choiceSeed: seed }
  const { value, choiceSeed } = drawRun(scenario, seed, run)
  return { plan: scaled(value.value), choiceSeed }
}

export function shapeFor({ id, shape }: Scenario, { recorded }: LivePairRequest): 'single' | 'sentinel' {
  if (recorded === null) return shapeOf(id)
  return shape === 'sentinel' ? 'sentinel' : 'single'
}
