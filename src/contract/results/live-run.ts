/** A live run: the order with which a campaign requests it, and the outcome. */
import type { History } from '../api/history.ts'
import type { DeadLetterReasons, Mechanism } from '../api/implementation.ts'
import type { Plan } from '../api/plan.ts'
import type { SinkKind } from '../api/sink.ts'
import type { Shape, StoreKind } from '../api/store.ts'
import type { NotMadeLive } from './results.ts'
import type { Followed, Schedule } from './schedule.ts'

/** The request for one live run. */
export interface LiveOrder {
  readonly scenario: string
  readonly shape: Shape
  readonly implementation: string
  /** The stores that the layer asks for. */
  readonly stores: readonly StoreKind[]
  readonly sink: SinkKind
  /** The plan, with durations in real milliseconds. */
  readonly plan: Plan
  /**
   * Draws an integer from 0 to n - 1 from the simulator's random stream of that name, so that the
   * broker distributes messages as in the simulator.
   */
  readonly chance: (stream: string, what: string, n: number) => number
  readonly recoveryBoundMs: number
  readonly recoveryBoundFrom: 'layer' | 'scenario'
  readonly recoveryCapMs: number
  readonly lacks: readonly Mechanism[]
  readonly leavesNoDoubtOn: readonly SinkKind[]
  readonly bindsProducedAt?: true
  readonly maxClockSkewMs?: number
  readonly answersWithinMs?: number
  readonly deadLetterReasons?: DeadLetterReasons
  /** The adapter has a `deploy`. */
  readonly deploys: boolean
  /** The maximum duration, in milliseconds. Absent: the default of the host. */
  readonly longestMs?: number
  /**
   * The schedule that the run follows, and the number of steps to follow. Absent: the run follows
   * no schedule.
   */
  readonly follows?: { readonly schedule: Schedule; readonly until: number }
}

/** The outcome of a live run. */
export interface LiveOutcome {
  readonly history: History
  readonly notMade: readonly NotMadeLive[]
  /** Faults that were made but had no observed effect. The history does not contain them. */
  readonly notSeen: readonly NotMadeLive[]
  readonly worstLateMs: number
  /**
   * Why the run cannot be judged: the machine did not keep up, or a fault did not work. Null if
   * there is no such reason.
   */
  readonly unfit: string | null
  /**
   * Milliseconds from the start of the first process until every consumer could receive messages.
   */
  readonly readyMs: number
  readonly tookMs: number
  /**
   * Names of crash points: in `cells` those at which a crash struck, in `cellsSeen` all that were
   * passed.
   */
  readonly cells: readonly string[]
  readonly cellsSeen: readonly string[]
  /** The longest period without a primary that accepts writes, if there were several servers. */
  readonly withoutPrimaryMs?: number
  /** How clocks were shifted; null if no clock was shifted. */
  readonly clocks: string | null
  /** How the run followed its schedule, if it had one. */
  readonly followed?: Followed
}
