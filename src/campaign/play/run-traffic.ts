/** Plays runs of a pair again and captures the traffic of their stores. */

import { type Trail, trailOf } from '../token/trail.ts'
import type { CampaignDeps, RunResult } from '../types.ts'
import { atUsualLength } from '../usual-length.ts'
import { loadPair } from './load-pair.ts'
import { requestOf } from './run-chunk.ts'
import { addressOf, type PairTask } from './tasks.ts'

/** The traffic of a run as plain data, so that it can cross threads. */
export interface RunTraffic extends Pick<RunResult, 'traffic' | 'sessions'> {
  readonly trail: Trail
}

/**
 * Plays the beginning of each run, because a long one repeats its commands. Returns the traffic of
 * fewer runs if the user asked to stop.
 */
export async function playTraffic(
  task: PairTask,
  runs: readonly number[],
  deps: Pick<CampaignDeps, 'loadScenario' | 'loadImplementation' | 'playing' | 'runWorld' | 'stopped'>,
): Promise<RunTraffic[]> {
  const pair = await loadPair(task, deps)
  const played: RunTraffic[] = []
  for (const run of runs) {
    if (deps.stopped()) break
    deps.playing(addressOf(task, run))
    const request = atUsualLength(requestOf(task, pair, run))
    played.push(trafficOf(await deps.runWorld({ ...request, traffic: true })))
  }
  return played
}

export function trafficOf(played: RunResult): RunTraffic {
  return { traffic: played.traffic, sessions: played.sessions, trail: trailOf(played) }
}
