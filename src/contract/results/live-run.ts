/** A live run, as a campaign asks for it and as it went. */
import type { History } from '../api/history.ts'
import type { DeadLetterReasons, Mechanism } from '../api/implementation.ts'
import type { Plan } from '../api/plan.ts'
import type { SinkKind } from '../api/sink.ts'
import type { Shape, StoreKind } from '../api/store.ts'
import type { NotMadeLive } from './results.ts'
import type { Followed, Schedule } from './schedule.ts'

/** One run, as it is to be made. */
export interface LiveOrder {
  readonly scenario: string
  readonly shape: Shape
  readonly implementation: string
  /** Those that the layer asks for. */
  readonly stores: readonly StoreKind[]
  readonly sink: SinkKind
  /** In real milliseconds. */
  readonly plan: Plan
  /**
   * An integer from 0 to n - 1, from the simulator's streams of those names: the broker deals as it
   * does there.
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
  /** What it may last at most, in milliseconds. Absent: as its host has it. */
  readonly longestMs?: number
  /** What the run follows, step by step, up to that many steps. Absent: it goes as it goes. */
  readonly follows?: { readonly schedule: Schedule; readonly until: number }
}

/** A run as it went. */
export interface LiveOutcome {
  readonly history: History
  readonly notMade: readonly NotMadeLive[]
  /** Faults that were made and whose effect was not seen: the history does not have them. */
  readonly notSeen: readonly NotMadeLive[]
  readonly worstLateMs: number
  /**
   * Why the run cannot be judged: the machine did not keep up, or a fault did not do what it
   * should. Null where neither.
   */
  readonly unfit: string | null
  /** From the first process that was started until every consumer could be handed a message. */
  readonly readyMs: number
  readonly tookMs: number
  /** Names of crash points: those at which a crash struck, and all that were passed. */
  readonly cells: readonly string[]
  readonly cellsSeen: readonly string[]
  /** The longest stretch in which no primary took a write; where there were several servers. */
  readonly withoutPrimaryMs?: number
  /** How clocks were shifted; null where no clock was. */
  readonly clocks: string | null
  /** How it followed its schedule; where it had one. */
  readonly followed?: Followed
}
