import type { JsonValue } from './json.ts'

/**
 * A message of the producer. Every copy of one message carries the same fields.
 * @example
 * ```ts
 * import type { Message } from 'onceproof'
 *
 * const message: Message = {
 *   id: 'message-1',
 *   key: 'order-1',
 *   payload: { cents: 100 },
 *   producedAt: Date.now(),
 * }
 * ```
 */
export interface Message {
  /**
   * Identifies this message. A copy that is published again under a new id is another message with
   * the same key.
   */
  readonly id: string
  /** The idempotency key: at most one effect may happen for it. Empty if `keyless`. */
  readonly key: string
  /** The message has no key. Only layers that declare `withoutKey` get such messages. */
  readonly keyless?: true
  readonly payload: JsonValue
  /** When the key was produced, in milliseconds since the Unix epoch on the broker's clock. */
  readonly producedAt: number
}

/**
 * Why a message was dead-lettered. `in-doubt` may be followed by a colon and details, for the
 * person who resolves it.
 * @example
 * ```ts
 * import type { DeadLetterReason } from 'onceproof'
 *
 * const reason: DeadLetterReason = 'in-doubt: no answer to the charge of order-1'
 * ```
 */
export type DeadLetterReason = string

/**
 * The answer of a handler to one delivery.
 * @example
 * ```ts
 * import type { Outcome } from 'onceproof'
 *
 * const outcomes: readonly Outcome[] = [
 *   { status: 'done', result: { charge: 'ch_1' } },
 *   { status: 'retry', reason: 'held', afterMs: 250 },
 *   { status: 'dead-letter', reason: 'in-doubt' },
 * ]
 * ```
 */
export type Outcome =
  /**
   * The effect happened, in this attempt or before. The broker deletes the message. `result`: the
   * result of the effect; undefined counts as null. `resultKept: false`, with a result of null: the
   * effect happened before, and the layer has not kept its result (the layer declares `lacks:
   * ['stored-result']`). `reply`: what the caller gets in addition to the result, such as the
   * status of an HTTP reply; it is the same for every `done` of a key.
   */
  | {
      readonly status: 'done'
      readonly result: JsonValue | undefined
      readonly resultKept?: false
      readonly reply?: JsonValue
    }
  /**
   * The layer has recorded the message, and a relay performs the effect without another delivery
   * (transactional outbox). The broker deletes the message. When the run is at rest, the effect has
   * happened, or the sink has refused it for good.
   */
  | { readonly status: 'accepted' }
  /**
   * The sink refused the request for good: no effect has happened, and none will. The broker
   * deletes the message.
   */
  | { readonly status: 'refused'; readonly error: string }
  /**
   * The broker is to deliver the message again, no sooner than `afterMs` milliseconds after this
   * answer. `afterMs` is limited to half a minute. The broker's own pause, which grows with each
   * attempt, applies if it is longer.
   */
  | { readonly status: 'retry'; readonly reason?: string; readonly afterMs?: number }
  /**
   * A person must decide: the broker moves the message to the dead-letter queue with the reason.
   */
  | { readonly status: 'dead-letter'; readonly reason: DeadLetterReason }
