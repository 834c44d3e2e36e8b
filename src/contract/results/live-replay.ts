/** The result of replaying a simulated run on real servers, step by step. */
import type { InvariantName } from '../api/verdict.ts'

/**
 * All reasons why a run cannot be made on real servers, or, for `late` and `servers`, why a run
 * that was made is inconclusive. `too-long` is used for both: only a live run shows that a layer
 * never comes to rest.
 */
export const reasonsUnsaid = {
  cluster: 'nodes of a Cluster come to believe what real ones are not brought to believe',
  sentinels: 'two Sentinels fail over at once, and which replica each of them takes is their own affair',
  several: 'several servers keep to a schedule as processes of this machine only (--with local)',
  independent: 'several independent servers keep to no schedule; live starts them, with --with local',
  beside: 'several servers of Redis that keep to a schedule have no PostgreSQL beside them',
  disk: 'a server comes back with an older word of a key than it had when it died, as its disk had kept it',
  fault: 'a fault of it is not made live',
  outlives: 'a command is executed after the process that sent it has ended: nothing holds it meanwhile',
  'given-up': "a process's machine gives up a connection that was forgotten, and real ones go by their own time",
  recovery: 'a client comes to PostgreSQL while that reads its log, for longer than the real one does',
  together: 'several SQL statements are sent as one, and nothing holds those behind the first',
  'too-long': 'it takes longer than --at-most: no lease and no expiry is shortened',
  elsewhere: 'its records are in a store of which there is no real server',
  simulated: 'such a layer is run in the simulator only',
  unsupported: 'it met something that is not simulated',
  'nothing-broken': 'it does not break so in the simulator, with the layer as it is now',
  late: 'the run was late',
  servers: 'real servers were not brought to do what the simulated ones did by themselves',
} as const
export type ReasonUnsaid = keyof typeof reasonsUnsaid

/** The default time limit on real servers, in milliseconds. */
export const usualBudgetMs = 600_000

/** A violation, and the reply that decided it. */
export interface LiveReplayViolation {
  readonly invariant: InvariantName
  readonly kind: string
  readonly key: string | null
  readonly decidedBy: string | null
}

/** The first reply of the real Redis that differs and leads elsewhere. */
export interface OtherReply {
  readonly command: string
  readonly process: string
  readonly simulated: string
  readonly real: string
}

export interface LiveReplay {
  readonly implementation: string
  readonly scenario: string
  readonly sink: string
  readonly answer: 'confirmed' | 'not confirmed' | 'cannot be said' | 'cannot be made'
  /** The violation in the simulator; null for a run that holds there. */
  readonly expected: LiveReplayViolation | null
  /** The violations on real servers. */
  readonly seen: readonly LiveReplayViolation[]
  /** Set if the answer is `cannot be said` or `cannot be made`. */
  readonly reason: ReasonUnsaid | null
  /** In a sentence, if it is not confirmed. */
  readonly why: string | null
  /** The number of steps taken, and of all steps up to the violation. */
  readonly steps: { readonly taken: number; readonly of: number }
  /** `ScheduleDivergence` in words. */
  readonly left: { readonly step: number; readonly expected: string; readonly seen: string | null } | null
  readonly otherReply: OtherReply | null
  /** For example `local: Redis 7.0.15, built-in proxy`; null if no live run was made. */
  readonly on: string | null
  /** Real milliseconds of the live run, including set-up and tear-down. */
  readonly tookMs: number
  /**
   * The maximum delay behind its schedule, in milliseconds: the machine was slow, or a client drew
   * a random delay.
   */
  readonly lateMs: number
  /** The sentence of the violation, from the live history. */
  readonly sentence: string | null
}
