/**
 * Where live runs are made. It is passed in: a campaign selects, judges and tells runs, and needs
 * no real server for that.
 */

import type { Plan } from '../../contract/api/plan.ts'
import type { LiveOrder, LiveOutcome } from '../../contract/results/live-run.ts'
import type { NotMadeLive } from '../../contract/results/results.ts'
import type { RecordedRun } from '../token/token.ts'
import type { CampaignDeps, RealServers } from '../types.ts'

export interface LiveHost extends RealServers {
  /** `local: Redis 7.0.15, built-in proxy`. */
  readonly about: string
  /** The plan with every duration times the time scale, and the Redis deployment that there is. */
  scaled(plan: Plan): Plan
  /** What the plan, as it was drawn, wants of its Redis and has otherwise there. */
  otherwise(plan: Plan): readonly NotMadeLive[]
  /** Makes an adapter ready to run. */
  load(implementationPath: string): Promise<(order: LiveOrder) => Promise<LiveOutcome>>
}

export interface LivePairRequest {
  readonly seed: number
  /** The one that is named; null lets the simulator select. */
  readonly run: number | null
  /** A recorded run, made instead of a run of the seed; null if there is none. */
  readonly recorded: RecordedRun | null
  /** Most runs of a pair. */
  readonly runs: number
  readonly timeScale: number
  /** What one run may last at most. */
  readonly longestMs: number
  /** The command that makes a run of the pair again on the same servers. */
  readonly again: (run: number) => string
}

export interface LiveContext {
  readonly deps: CampaignDeps
  readonly host: LiveHost
  readonly progress: (done: number, of: number) => void
}
