/** Chooses the runs of a pair that are made live, with their plans. */

import type { Scenario } from '../../contract/api/scenario.ts'
import type { Shape } from '../../contract/api/store.ts'
import { drawRun } from '../play/draw-run.ts'
import type { LoadedPair } from '../play/load-pair.ts'
import type { PairRef } from '../token/pair-ref.ts'
import { type FailoverPlan, failoverPlans, shapeOf } from './failover-plans.ts'
import { type ChosenRun, type LiveChoice, notAskedOf } from './goals-not-asked.ts'
import type { LiveContext, LiveHost, LivePairRequest } from './live-host.ts'
import type { PlannedRun, SelectionRequest } from './perturbed-runs.ts'
import { runAsRecorded } from './run-as-recorded.ts'
import { selectLiveRuns } from './select-live-runs.ts'

const just = (...runs: readonly ChosenRun[]): LiveChoice => ({ runs, refused: [], whyNone: null })

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
    // A margin, because real machines are slower than the simulator.
    longestMs: longestMs * 0.7,
    planned: (number) => plannedRun(scenario, request, number, host),
    notMade: (plan) => host.notMade(plan, shape),
  }
  if (recorded !== null) return just(await runAsRecorded(pair, selection, recorded.run, deps))
  const made = madeForLive(scenario, request)
  if (made !== null)
    return just(...made.map(({ run }) => ({ run, way: null, says: 'plan made for live runs', reaches: null })))
  if (run !== null) return just({ run, way: null, says: notAskedOf, reaches: new Map() })
  return selectLiveRuns(pair, selection, deps)
}

/**
 * The plans that were made for live runs, with their run numbers: the plan of the requested run, or
 * all plans. Null if the scenario has no such plans.
 */
export function madeForLive(
  { id }: Scenario,
  { run, runs, recorded }: LivePairRequest,
): (FailoverPlan & { readonly run: number })[] | null {
  const made = recorded === null ? failoverPlans[id]?.map((one, run) => ({ run, ...one })) : undefined
  if (made === undefined) return null
  return run === null ? made.slice(0, runs) : made.slice(run, run + 1)
}

/**
 * The plan of a run as drawn or recorded, with its times scaled. For several servers, a plan that
 * was made for live runs, in real milliseconds.
 */
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
  const made = failoverPlans[scenario.id]?.[run]
  if (made !== undefined) return { plan: made.plan, choiceSeed: seed }
  const { value, choiceSeed } = drawRun(scenario, seed, run)
  return { plan: scaled(value.value), choiceSeed }
}

/**
 * The deployment for live runs. A recorded run gets a Cluster or independent servers from its plan,
 * and Sentinels from the scenario.
 */
export function shapeFor(scenario: Scenario, { recorded }: Pick<LivePairRequest, 'recorded'>): Shape {
  if (recorded === null) return shapeOf(scenario)
  if (recorded.plan.redis?.shards !== undefined) return 'cluster'
  if (recorded.plan.redis?.independent !== undefined) return 'independent'
  return scenario.shape === 'sentinel' ? 'sentinel' : 'single'
}
