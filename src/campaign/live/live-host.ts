/**
 * Where live runs are made. It is passed in: a campaign selects, judges and tells runs, and needs no real server for
 * that.
 */
import type { LiveOrder, LiveOutcome } from '../../contract/live-run.ts'
import type { Plan } from '../../contract/plan.ts'

export interface LiveHost {
  /** `local: Redis 7.0.15, built-in proxy`. */
  readonly about: string
  /** The plan with every duration times the time scale. */
  scaled(plan: Plan): Plan
  /** Whether all faults of a plan can be made there. */
  isMakeable(plan: Plan): boolean
  /** Makes an adapter ready to run. */
  load(implementationPath: string): Promise<(order: LiveOrder) => Promise<LiveOutcome>>
}
