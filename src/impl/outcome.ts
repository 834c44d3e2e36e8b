/** Why a message cannot be handled now. Delivering it again is safe. */
export type RetryReason =
  /** Another attempt holds the key, and its lease lives. */
  | 'held'
  /** Redis gave no answer in time. No effect was sent. */
  | 'redis-unreachable'
  /**
   * PostgreSQL gave no answer in time, or its tables are not the layer's: see `cause`. No effect
   * was sent.
   */
  | 'postgres-unreachable'
  /**
   * Redis's maxmemory-policy may throw records away. Nothing is performed until it is `noeviction`:
   * an operator must set it, and `cause` says so. No effect was sent.
   */
  | 'redis-evicts'
  /**
   * Too few replicas acknowledged the begin in time: a failover could forget it. It was undone, so
   * that the key is free. No effect was sent.
   */
  | 'not-replicated'
  /**
   * There are more replicas than `replicas` counts, so that one without the begin could be elected.
   * Nothing is performed until an operator has raised it, and `cause` says to what. No effect was
   * sent.
   */
  | 'replicas-uncounted'
  /**
   * The attempt ended before the point of no return: its lease did, Redis lost data, or the message
   * grew older than the retention. Somebody else may have the key. No effect was sent.
   */
  | 'lease-lost'
  /** `prepare` threw. No effect was sent. */
  | 'prepare-failed'
  /** A fenced sink did not answer `raise`. No effect was sent. */
  | 'raise-failed'
  /** A fenced sink knows a higher fence: another holder came after this one. No effect was sent. */
  | 'superseded'
  /**
   * The effect gave no definitive answer; the sink (keyed, fenced) settles it at the next attempt.
   * Of an effect that is rows: the answer to its COMMIT was lost, and so was the look-up's; the
   * next attempt finds its record, or that it never happened.
   */
  | 'effect-unanswered'
  /**
   * The effect's transaction was rolled back: it threw, a statement of it failed, or its connection
   * was lost before COMMIT. No effect came of it.
   */
  | 'rolled-back'
  /** `reconcile` barred the earlier request for good: the next attempt may perform. */
  | 'barred'

/** Why nobody can tell whether the effect happened. */
export type DoubtReason =
  /** This attempt sent the effect and got no definitive answer. */
  | 'effect-unanswered'
  /** An earlier attempt passed the point of no return and was never heard of again. */
  | 'attempt-vanished'
  /**
   * There is no record, and Redis lost data after the message was produced: its record may have
   * been among it.
   */
  | 'older-than-the-data'
  /**
   * The message is older than the retention: its record may have expired, or a keyed sink forgotten
   * the key.
   */
  | 'older-than-retention'
  /**
   * There is no record, and `producedAt` is later than Redis's clock and the skew allow: it proves
   * nothing. `reconcile` is not asked: run the message again when that time has come.
   */
  | 'from-the-future'
  /** `reconcile` was asked and could not tell. */
  | 'reconcile-unknown'
  /** `reconcile` threw. */
  | 'reconcile-failed'

/**
 * What became of one `run`. Operating errors are values: `run` throws for mistakes in the call
 * only.
 */
export type RunOutcome<Result> =
  /**
   * The effect happened. `repeated`: in an earlier run, whose result this is. Acknowledge the
   * message.
   */
  | { readonly status: 'done'; readonly result: Result; readonly repeated: boolean; readonly unkept?: never }
  /**
   * The effect happened, and gave a result that JSON does not give back. `unkept` says what and
   * where. Every run for the key is answered so, the first one too. Acknowledge the message, and
   * mend the effect.
   */
  | { readonly status: 'done'; readonly result: null; readonly repeated: boolean; readonly unkept: string }
  /** The sink refused for good: no effect, and none will come. Acknowledge the message. */
  | { readonly status: 'refused'; readonly error: string; readonly repeated: boolean }
  /** Not now. Have the message delivered again, best not before `retryAfterMs` milliseconds. */
  | {
      readonly status: 'retry'
      readonly reason: RetryReason
      readonly retryAfterMs: number
      readonly cause?: unknown
    }
  /**
   * The effect may or may not have happened. Set the message aside for a person; never repeat it
   * blindly.
   */
  | { readonly status: 'in-doubt'; readonly reason: DoubtReason; readonly cause?: unknown }
  /**
   * `maxAttempts` failed, and this run did nothing. Set the message aside in a dead-letter queue.
   * On a `plain` sink no effect happened; a `keyed` or `fenced` one may have applied it without
   * answering. `resetAttempts` permits as many again.
   */
  | { readonly status: 'failed'; readonly attempts: number }
  /** The key was used before with another payload. Nothing was executed. Set the message aside. */
  | { readonly status: 'conflict' }

export function retry(
  reason: RetryReason,
  retryAfterMs: number,
  cause?: unknown,
): Extract<RunOutcome<never>, { status: 'retry' }> {
  return { status: 'retry', reason, retryAfterMs, ...(cause === undefined ? {} : { cause }) }
}
