/**
 * The host of live runs. The caller passes the host, so this folder can select, judge and report
 * runs without code for real servers.
 */

import type { Plan } from '../../contract/api/plan.ts'
import type { LiveOrder, LiveOutcome } from '../../contract/results/live-run.ts'
import type { NotMadeLive } from '../../contract/results/results.ts'
import type { RecordedRun } from '../token/token.ts'
import type { CampaignDeps, RealServers } from '../types.ts'

export interface LiveHost extends RealServers {
  /** The servers and proxies, such as `local: Redis 7.0.15, built-in proxy`. */
  readonly about: string
  /**
   * The plan with every duration multiplied by the time scale, and with the available Redis
   * deployment.
   */
  scaled(plan: Plan): Plan
  /** The differences between the Redis that the plan, as drawn, requires and the host's Redis. */
  otherwise(plan: Plan): readonly NotMadeLive[]
  /** Prepares an adapter. Returns a function that makes runs with it. */
  load(implementationPath: string): Promise<(order: LiveOrder) => Promise<LiveOutcome>>
}

export interface LivePairRequest {
  readonly seed: number
  /** The run that the user named; null if the simulator selects the runs. */
  readonly run: number | null
  /** A recorded run, made instead of a run of the seed; null if the seed gives the run. */
  readonly recorded: RecordedRun | null
  /** The maximum number of runs of a pair. */
  readonly runs: number
  readonly timeScale: number
  /** The maximum duration of a run in milliseconds. */
  readonly longestMs: number
  /** Returns the command that makes a run of the pair again on the same servers. */
  readonly again: (run: number) => string
}

export interface LiveContext {
  readonly deps: CampaignDeps
  readonly host: LiveHost
  readonly progress: (done: number, of: number) => void
}
