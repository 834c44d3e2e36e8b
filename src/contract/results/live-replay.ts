/** What became of a simulated run on real servers, step by step. */
import type { InvariantName } from '../api/verdict.ts'

/**
 * Why a run cannot be made on real servers, or, of `late` and `servers`, why one that was made says
 * nothing: there is no other reason. `too-long` is both: that a layer is never at rest shows when
 * its run is made.
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

/** What real servers may take unless a user says otherwise, in milliseconds. */
export const usualBudgetMs = 600_000

/** A violation, and by which reply it was decided. */
export interface LiveReplayViolation {
  readonly invariant: InvariantName
  readonly kind: string
  readonly key: string | null
  readonly decidedBy: string | null
}

/** A reply of the real Redis that led elsewhere: the first one. */
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
  /** What breaks in the simulator; null for a run that holds there. */
  readonly expected: LiveReplayViolation | null
  /** What broke on real servers. */
  readonly seen: readonly LiveReplayViolation[]
  /** Where it cannot be said or made. */
  readonly reason: ReasonUnsaid | null
  /** In a sentence, where it is not confirmed. */
  readonly why: string | null
  /** Steps that were taken, of so many that lead to what breaks. */
  readonly steps: { readonly taken: number; readonly of: number }
  /** `ScheduleDivergence` in words. */
  readonly left: { readonly step: number; readonly expected: string; readonly seen: string | null } | null
  readonly otherReply: OtherReply | null
  /** `local: Redis 7.0.15, built-in proxy`; null where nothing was made. */
  readonly on: string | null
  /** Real milliseconds of the live run, with start and end. */
  readonly tookMs: number
  /**
   * By how much it was behind its schedule at most: for the machine's sake, or for a delay that a
   * client drew.
   */
  readonly lateMs: number
  /** The sentence of what broke, as the live history tells it. */
  readonly sentence: string | null
}
