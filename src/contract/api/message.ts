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
   * Names this message. A copy published again under a fresh id is another message with the same
   * key.
   */
  readonly id: string
  /** The idempotency key: at most one effect may happen for it. Empty if `keyless`. */
  readonly key: string
  /** It came without a key. Only layers that declare `withoutKey` are sent such messages. */
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
   * The effect happened, now or before. The broker deletes the message. `result`: the result of the
   * effect; undefined counts as null. `resultKept: false`, with a result of null: it happened
   * before, and the layer has not kept the result (it declares `lacks: ['stored-result']`).
   * `reply`: what the caller gets in addition to the result, such as the status of an HTTP reply;
   * it is the same for every `done` of a key.
   */
  | {
      readonly status: 'done'
      readonly result: JsonValue | undefined
      readonly resultKept?: false
      readonly reply?: JsonValue
    }
  /**
   * The message is on record, and the effect will come without another delivery: a relay performs
   * it (transactional outbox). The broker deletes the message. When the run is at rest, the effect
   * has happened, or the sink has refused it for good.
   */
  | { readonly status: 'accepted' }
  /** The sink refused for good: no effect, and none will come. The broker deletes the message. */
  | { readonly status: 'refused'; readonly error: string }
  /**
   * Not now: the broker delivers the message again, no sooner than `afterMs` milliseconds after
   * this answer. `afterMs` counts up to half a minute. The broker's own pause, which grows with
   * each attempt, applies if it is longer.
   */
  | { readonly status: 'retry'; readonly reason?: string; readonly afterMs?: number }
  /** A person must look: the broker sets the message aside with the reason. */
  | { readonly status: 'dead-letter'; readonly reason: DeadLetterReason }
