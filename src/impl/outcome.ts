import type { KeyInDoubt } from './in-doubt.ts'

/**
 * Why a message cannot be handled now. Delivering it again is safe.
 * @example
 * ```ts
 * import type { RetryReason } from 'onceproof/once'
 *
 * const needsOperator = (reason: RetryReason): boolean =>
 *   reason === 'redis-evicts' || reason === 'replicas-uncounted'
 * ```
 */
export type RetryReason =
  /** Another attempt holds the key, and its lease has not ended. */
  | 'held'
  /** Redis gave no answer in time. No effect was sent. */
  | 'redis-unreachable'
  /**
   * PostgreSQL gave no answer in time, or its tables do not match the layer's: see `cause`. No
   * effect was sent.
   */
  | 'postgres-unreachable'
  /**
   * Redis's maxmemory-policy may evict records. Nothing is performed until an operator sets it to
   * `noeviction`; `cause` has the present policy. No effect was sent.
   */
  | 'redis-evicts'
  /**
   * No fence is left for the key: the last one on record, or the store's clock in microseconds, is
   * 2^53 - 1 or more. An operator corrects the clock, or gives the message another key. No effect
   * was sent.
   */
  | 'fences-exhausted'
  /**
   * Too few replicas acknowledged the begin in time, so a failover could forget it. It was undone,
   * and the key is free. No effect was sent.
   */
  | 'not-replicated'
  /**
   * There are more replicas than `replicas` counts, so one without the begin could be elected.
   * Nothing is performed until an operator raises it to the number in `cause`. No effect was
   * sent.
   */
  | 'replicas-uncounted'
  /**
   * The attempt ended before the point of no return: its lease ended, Redis lost data, or the
   * message became older than the retention. Another attempt may have the key. No effect was sent.
   */
  | 'lease-lost'
  /** `prepare` threw. No effect was sent. */
  | 'prepare-failed'
  /** A fenced sink did not answer `raise`. No effect was sent. */
  | 'raise-failed'
  /** A fenced sink has seen a higher fence: another holder came later. No effect was sent. */
  | 'superseded'
  /**
   * The effect had no definitive answer; the sink (keyed, fenced) settles it at the next attempt.
   * If the effect is rows: the answers to its COMMIT and to the lookup were lost, and the next
   * attempt finds its record, or that it never happened.
   */
  | 'effect-unanswered'
  /**
   * The effect's transaction was rolled back: the effect threw, one of its statements failed, or
   * its connection was lost before COMMIT. There is no effect.
   */
  | 'rolled-back'
  /** `reconcile` barred the earlier request for good: the next attempt may perform. */
  | 'barred'

/**
 * Why it is unknown whether the effect happened.
 * @example
 * ```ts
 * import type { DoubtReason } from 'onceproof/once'
 *
 * const mayWait = (reason: DoubtReason): boolean => reason === 'from-the-future'
 * ```
 */
export type DoubtReason =
  /** This attempt sent the effect and got no definitive answer. */
  | 'effect-unanswered'
  /** An earlier attempt passed the point of no return; its lease ended without an outcome. */
  | 'attempt-vanished'
  /**
   * There is no record, and Redis may have lost data after the message was produced, perhaps its
   * record.
   */
  | 'older-than-the-data'
  /**
   * The message is older than the retention: its record may have expired, or a keyed sink may have
   * forgotten the key.
   */
  | 'older-than-retention'
  /**
   * There is no record, and the message was produced later than Redis's clock and the clock skew
   * allow.
   */
  | 'from-the-future'
  /** `reconcile` was called and could not decide. */
  | 'reconcile-unknown'
  /** `reconcile` threw. */
  | 'reconcile-failed'

/**
 * What differs between a message and the record of its key. `unknown`: the record is of an older
 * version, which did not keep the produced-at time.
 * @example
 * ```ts
 * import type { ConflictReason } from 'onceproof/once'
 *
 * const isReusedKey = (reason: ConflictReason): boolean => reason !== 'producedAt'
 * ```
 */
export type ConflictReason = 'payload' | 'producedAt' | 'payload-and-producedAt' | 'unknown'

/**
 * One side of a conflict: the record's, or the message's.
 * @example
 * ```ts
 * import type { ConflictingValue } from 'onceproof/once'
 *
 * const textOf = ({ producedAt, digest }: ConflictingValue): string => `${producedAt} ${digest}`
 * ```
 */
export interface ConflictingValue {
  /** In milliseconds since the Unix epoch; null if the record is of an older version. */
  readonly producedAt: number | null
  /**
   * SHA-256 of the key, the payload, and the record's produced-at time, in hexadecimal: equal on
   * both sides if the payloads are equal.
   */
  readonly digest: string
}

/**
 * The outcome of one `run`. Operational errors are values: `run` throws only for mistakes in the
 * call.
 * @example
 * ```ts
 * import type { RunOutcome } from 'onceproof/once'
 *
 * const isAcknowledged = ({ status }: RunOutcome<unknown>): boolean =>
 *   status === 'done' || status === 'refused'
 * ```
 */
export type RunOutcome<Result> =
  /**
   * The effect happened. `repeated`: it happened in an earlier run, and this is its result.
   * Acknowledge the message.
   */
  | { readonly status: 'done'; readonly result: Result; readonly repeated: boolean }
  /**
   * The effect happened, and its result is not representable in JSON. `unkept` has the reason and
   * the place. Every run for the key returns this, including the first. Acknowledge the message,
   * and fix the effect.
   */
  | { readonly status: 'done-unkept'; readonly unkept: string; readonly repeated: boolean }
  /** The sink refused for good: no effect, and none will follow. Acknowledge the message. */
  | { readonly status: 'refused'; readonly error: string; readonly repeated: boolean }
  /** The message cannot be handled now. Have it redelivered, preferably after `retryAfterMs` ms. */
  | {
      readonly status: 'retry'
      readonly reason: RetryReason
      readonly retryAfterMs: number
      readonly cause?: unknown
    }
  /**
   * The effect may or may not have happened. Set the message aside for an operator; never repeat it
   * blindly. `doubt`: for `settle`. It is missing if only time can settle it
   * (`from-the-future`), and if the effect is rows.
   */
  | {
      readonly status: 'in-doubt'
      readonly reason: DoubtReason
      readonly doubt?: KeyInDoubt
      readonly cause?: unknown
    }
  /**
   * `maxAttempts` attempts failed, and this run did nothing. Dead-letter the message. On a `plain`
   * sink no effect happened; a `keyed` or `fenced` sink may have applied it without answering.
   * `resetAttempts` permits as many attempts again.
   */
  | { readonly status: 'failed'; readonly attempts: number }
  /**
   * The key was used with another payload or another produced-at time. Nothing was executed. Set
   * the message aside. `hint`: the likely mistake, and what to do.
   */
  | {
      readonly status: 'conflict'
      readonly reason: ConflictReason
      readonly recorded: ConflictingValue
      readonly given: ConflictingValue
      readonly hint?: string
    }

export function retry(
  reason: RetryReason,
  retryAfterMs: number,
  cause?: unknown,
): Extract<RunOutcome<never>, { status: 'retry' }> {
  return { status: 'retry', reason, retryAfterMs, ...(cause === undefined ? {} : { cause }) }
}
