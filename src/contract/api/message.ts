import type { JsonValue } from './json.ts'

/** What the producer sent. Every copy of one message carries the same fields. */
export interface Message {
  /**
   * Names this message; a copy published again under a fresh id is another message with the same
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
 * Why a message was dead-lettered. `in-doubt` may carry more after a colon, for the person who
 * resolves it.
 */
export type DeadLetterReason = string

/** What a handler answers for one delivery. */
export type Outcome =
  /**
   * The effect happened (now or before); `result` is what it gave, where undefined is null. The
   * broker deletes the message. `resultKept: false`, with a result of null: it happened before, and
   * the layer has kept no result (it declares `lacks: ['stored-result']`). `reply`: what the caller
   * was told beside the result, such as the status of an HTTP reply; every `done` for a key tells
   * the same.
   */
  | {
      readonly status: 'done'
      readonly result: JsonValue | undefined
      readonly resultKept?: false
      readonly reply?: JsonValue
    }
  /**
   * It is on record, and the effect will come without another delivery: a relay performs it
   * (transactional outbox). The broker deletes the message. When the world is at rest, the effect
   * has happened, or the sink has refused it for good.
   */
  | { readonly status: 'accepted' }
  /** The sink refused for good: no effect, and none will come. The broker deletes the message. */
  | { readonly status: 'refused'; readonly error: string }
  /**
   * Not now: the broker delivers the message again later, and no sooner than `afterMs` milliseconds
   * from its answer. It waits for half a minute at most. Its own pause, which grows with each
   * attempt, counts where it is longer.
   */
  | { readonly status: 'retry'; readonly reason?: string; readonly afterMs?: number }
  /** A person must look: the broker sets the message aside with the reason. */
  | { readonly status: 'dead-letter'; readonly reason: DeadLetterReason }
