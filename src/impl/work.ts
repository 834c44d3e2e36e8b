/**
 * A message, as far as the layer looks at it. Any object with these members will do; all copies of
 * it carry the same.
 */
export interface OnceMessage {
  /** The idempotency key: at most one effect happens for it. Well-formed Unicode, not empty. */
  readonly key: string
  /**
   * What the effect is made from: plain objects, arrays, strings, finite numbers, booleans and
   * null, since it must be the same after a way through JSON.
   */
  readonly payload: unknown
  /**
   * When the key was produced, in integer milliseconds since the Unix epoch, best set by the
   * broker. The same in every message with the key, also in one that is published again: a message
   * whose record was lost is told from a new one by it alone. Up to `maxClockSkewMs` beside Redis's
   * clock.
   */
  readonly producedAt: number
}

/** What `prepare` is given. */
export interface Preparation {
  readonly key: string
  /** Fires when the lease cannot be kept: what is prepared will not be used. */
  readonly signal: AbortSignal
}

/** What the effect is given. It exists only after the point of no return was recorded. */
export interface Attempt {
  readonly key: string
  /**
   * Orders the holders of a key: a 53-bit integer, higher for each holder, also after data was
   * lost. It is Redis's time in microseconds or more. A fenced sink must be sent it.
   */
  readonly fence: number
  /**
   * Fires when the lease cannot be kept: others may call the effect in doubt, though it goes on.
   * Advice only.
   */
  readonly signal: AbortSignal
}

/**
 * Sends the one effect and resolves with its result, which is kept as JSON and handed to every
 * later copy of the message. What JSON does not give back is not kept, and the outcome says so;
 * members that are undefined are left out. It should send one request and bound its own waiting. A
 * rejection is "in doubt" unless `isRefusal` says otherwise.
 */
export type Effect<Prepared, Result> = (attempt: Attempt, prepared: Prepared) => Promise<Result>

/** What is done under one key. */
export interface Work<Prepared, Result> {
  /**
   * Done under the lease, before the point of no return: reading, checking. It may run many times:
   * no effects here.
   */
  prepare(preparation: Preparation): Promise<Prepared>
  readonly effect: Effect<Prepared, Result>
}
