/**
 * Where live runs are made. It is passed in: a campaign selects, judges and tells runs, and needs no real server for
 * that.
 */
import type { History } from '../../contract/history.ts'
import type { Plan } from '../../contract/plan.ts'
import type { NotMadeLive } from '../../contract/results.ts'
import type { SinkKind } from '../../contract/sink.ts'

/** One run, as it is to be made. */
export interface LiveOrder {
  readonly scenario: string
  readonly shape: 'single' | 'sentinel'
  readonly implementation: string
  readonly sink: SinkKind
  /** In real milliseconds. */
  readonly plan: Plan
  readonly seed: number
  /** An integer from 0 to n - 1, from the simulator's streams of those names: the broker deals as it does there. */
  readonly chance: (stream: 'broker' | 'poison', what: string, n: number) => number
  readonly recoveryBoundMs: number
  /** The adapter has a `deploy`. */
  readonly deploys: boolean
}

/** A run as it went. */
export interface LiveOutcome {
  readonly history: History
  readonly notMade: readonly NotMadeLive[]
  readonly worstLateMs: number
  /** Why the run cannot be judged: the machine did not keep up. Null where it did. */
  readonly tooLate: string | null
  readonly readyMs: number
  readonly tookMs: number
  /** Names of crash points: those at which a crash struck, and all that were passed. */
  readonly cells: readonly string[]
  readonly cellsSeen: readonly string[]
  readonly withoutPrimaryMs?: number
  /** How clocks were shifted; null where no clock was. */
  readonly clocks: string | null
}

export interface LiveHost {
  /** `local: redis-server 7.0.15, built-in proxy`. */
  readonly about: string
  /** The plan with every duration times the time scale. */
  scaled(plan: Plan): Plan
  /** Whether all faults of a plan can be made there. */
  isMakeable(plan: Plan): boolean
  /** Makes an adapter ready to run. */
  load(implementationPath: string): Promise<(order: LiveOrder) => Promise<LiveOutcome>>
}
