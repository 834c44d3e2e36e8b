import type { Meta } from './in-doubt.ts'

/**
 * The part of a message that the layer reads. Any object with these members will do; all copies of
 * it have the same values.
 * @example
 * ```ts
 * import type { OnceMessage } from 'onceproof/once'
 *
 * const message: OnceMessage = { key: 'order-1', payload: { cents: 100 }, producedAt: Date.now() }
 * ```
 */
export interface OnceMessage {
  /** The idempotency key: at most one effect happens for it. Well-formed Unicode, not empty. */
  readonly key: string
  /**
   * The data for the effect: plain objects, arrays, strings, finite numbers, booleans and null,
   * because it must survive JSON unchanged.
   */
  readonly payload: unknown
  /**
   * When the key was produced, in integer milliseconds since the Unix epoch, preferably set by the
   * broker. It is the same in every message with the key, even if published again: it alone
   * distinguishes a message whose record was lost from a new one. At most `maxClockSkewMs` off
   * Redis's clock.
   */
  readonly producedAt: number
  /** For the people who look at a doubt about this message. Not compared with that of copies. */
  readonly meta?: Meta
}

/**
 * The argument of `prepare`.
 * @example
 * ```ts
 * import type { Preparation } from 'onceproof/once'
 *
 * const prepare = async ({ key }: Preparation) => ({ key, cents: 100 })
 * ```
 */
export interface Preparation {
  readonly key: string
  /** Fires when the lease cannot be kept: the prepared value will not be used. */
  readonly signal: AbortSignal
}

/**
 * The argument of the effect. It exists only once the point of no return is on record.
 * @example
 * ```ts
 * import type { Attempt } from 'onceproof/once'
 *
 * const charge = ({ key, signal }: Attempt) =>
 *   fetch('https://payments.example/charges', {
 *     method: 'POST',
 *     headers: { 'Idempotency-Key': key },
 *     signal,
 *   })
 * ```
 */
export interface Attempt {
  readonly key: string
  /**
   * Orders the holders of a key: a 53-bit integer, higher for each holder, even after a loss of
   * data. At least Redis's time in microseconds. Send it to a fenced sink.
   */
  readonly fence: number
  /**
   * Fires when the lease cannot be kept: others may call the effect in doubt, though it continues.
   * Advisory only.
   */
  readonly signal: AbortSignal
}

/**
 * Sends the one effect and resolves with its result, which is kept as JSON and returned for every
 * later copy of the message. A result that JSON cannot represent is not kept, and the outcome has
 * the reason; undefined members are left out. It should send one request and limit its own waiting.
 * A rejection is "in doubt" unless `isRefusal` returns true.
 * @example
 * ```ts
 * import type { Effect } from 'onceproof/once'
 *
 * const effect: Effect<{ cents: number }, string> = async ({ key }, { cents }) =>
 *   `charged ${cents} for ${key}`
 * ```
 */
export type Effect<Prepared, Result> = (attempt: Attempt, prepared: Prepared) => Promise<Result>

/**
 * The work for one key.
 * @example
 * ```ts
 * import type { Work } from 'onceproof/once'
 *
 * const work: Work<{ cents: number }, string> = {
 *   prepare: async () => ({ cents: 100 }),
 *   effect: async ({ key }, { cents }) => `charged ${cents} for ${key}`,
 * }
 * ```
 */
export interface Work<Prepared, Result> {
  /**
   * Runs under the lease, before the point of no return, to read and to check. It may run many
   * times, so it must have no effects.
   */
  prepare(preparation: Preparation): Promise<Prepared>
  /**
   * Added to the `meta` of the message, for data that `prepare` made, such as the id of a request
   * to the provider.
   */
  meta?(prepared: Prepared): Meta
  readonly effect: Effect<Prepared, Result>
}

/** Throws `TypeError` for work without its functions, which would be known only under the lease. */
export function needWork(work: unknown): void {
  const { prepare, effect, meta } = (work ?? {}) as Readonly<Record<string, unknown>>
  if (typeof effect !== 'function')
    throw new TypeError('run: the effect is missing: give a function, or { prepare, effect }')
  if (typeof prepare !== 'function')
    throw new TypeError('run: prepare is missing: give it, or give the effect instead of an object')
  if (meta !== undefined && typeof meta !== 'function')
    throw new TypeError('run: meta of the work is not a function: give one, or meta of the message')
}

/** Throws `TypeError` for a call without a message. */
export function needMessage(message: OnceMessage): void {
  if (typeof message !== 'object' || message === null)
    throw new TypeError('run: the message is missing: give { key, payload, producedAt }')
}
