/** What became of a simulated run on real servers, step by step. */
import type { InvariantName } from '../api/verdict.ts'

/**
 * Why a run cannot be made on real servers, or, of `late` and `servers`, why one that was made says
 * nothing: there is no other reason. `too-long` is both: that a layer is never at rest shows when
 * its run is made.
 */
export const reasonsUnsaid = {
  cluster: 'nodes of a Cluster have a view that real nodes cannot be forced into',
  sentinels: 'two Sentinels fail over at once; the replica that each selects is not under control',
  several: 'several servers can follow a schedule only as local processes (--with local)',
  independent: 'several independent servers cannot follow a schedule; use `live --with local`',
  beside: 'several Redis servers with a schedule cannot be combined with PostgreSQL',
  disk: 'a server restarts with an older value of a key than it had when it died',
  fault: 'one of its faults is not supported live',
  outlives: 'a command is executed after its process has ended, and cannot be held back',
  'given-up': 'a machine gives up a half-open connection, which takes real machines another time',
  recovery: 'a client connects to PostgreSQL during its recovery, which is shorter in reality',
  together: 'several SQL statements are sent as one; only the first can be held back',
  'too-long': 'it takes longer than --at-most (leases and expiries are not shortened)',
  elsewhere: 'its records are in a store without a real server',
  simulated: 'such a layer runs only in the simulator',
  unsupported: 'it used a feature that is not simulated',
  'nothing-broken': 'the present layer does not break this way in the simulator',
  late: 'the run was late',
  servers: 'real servers did not do what the simulated servers did on their own',
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
