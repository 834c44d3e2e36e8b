/** The result of replaying a simulated run on real servers, step by step. */
import type { InvariantName } from '../api/verdict.ts'

/**
 * All reasons why a run cannot be made on real servers, or, for `late` and `servers`, why a run
 * that was made is inconclusive. `too-long` is used in both cases, because only a live run shows
 * that a layer never comes to rest.
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

/** The default time limit on real servers, in milliseconds. */
export const usualBudgetMs = 600_000

/** A violation, and the reply that decided it. */
export interface LiveReplayViolation {
  readonly invariant: InvariantName
  readonly kind: string
  readonly key: string | null
  readonly decidedBy: string | null
}

/**
 * The first reply of the real Redis that differs from the simulated one and changes the course of
 * the run.
 */
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
  /** The violation in the simulator; null if the run violates nothing there. */
  readonly expected: LiveReplayViolation | null
  /** The violations on real servers. */
  readonly seen: readonly LiveReplayViolation[]
  /** The reason if the answer is `cannot be said` or `cannot be made`; otherwise null. */
  readonly reason: ReasonUnsaid | null
  /** Why the violation was not confirmed, in one sentence; null if it was confirmed. */
  readonly why: string | null
  /** The number of steps taken, and of all steps up to the violation. */
  readonly steps: { readonly taken: number; readonly of: number }
  /** The divergence from the schedule (`ScheduleDivergence`), in words; null if there was none. */
  readonly left: { readonly step: number; readonly expected: string; readonly seen: string | null } | null
  readonly otherReply: OtherReply | null
  /**
   * The servers and the proxy, for example `local: Redis 7.0.15, built-in proxy`; null if no live
   * run was made.
   */
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
