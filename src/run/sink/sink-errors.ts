/** The replies of the sink, and the errors with which `perform` rejects because of them. */

import { assert } from 'virtual-node/assert'
import type { EffectResult } from '../../contract/api/sink.ts'

export type SinkReply =
  /** The effect was applied. `receipt`: the value for the caller. */
  | { readonly status: 'applied'; readonly receipt: EffectResult }
  | { readonly status: 'refused' }
  | { readonly status: 'cancelled' }
  | { readonly status: 'stale-fence'; readonly fence: number; readonly highest: number }
  /** An error that leaves the outcome open. */
  | { readonly status: 'unavailable'; readonly why: string }

/** A definitive refusal: this request has had no effect, and will have none. */
export class SinkRefusal extends Error {
  override readonly name = 'SinkRefusal'
}

/**
 * A fenced sink has seen a higher fence. This request had no effect, but a request of another
 * holder may have had one.
 */
export class StaleFence extends Error {
  override readonly name = 'StaleFence'
}

/** The sink did not answer in time: the effect may have happened, and may still happen. */
export class SinkTimeout extends Error {
  override readonly name = 'SinkTimeout'

  constructor(timeoutMs: number) {
    super(`no answer from the sink within ${timeoutMs} ms`)
  }
}

/**
 * An error that leaves the outcome open (502, connection reset): the effect may or may not have
 * happened.
 */
export class SinkUnavailable extends Error {
  override readonly name = 'SinkUnavailable'
}

/** How the caller's promise settles: with the result of the effect, or with an error. */
export function outcomeOf(reply: SinkReply): { readonly value: EffectResult } | { readonly error: Error } {
  if (reply.status === 'applied') return { value: reply.receipt }
  if (reply.status === 'refused') return { error: new SinkRefusal('the sink refuses this request for good') }
  if (reply.status === 'cancelled') return { error: new SinkRefusal('this request was cancelled before it came') }
  if (reply.status === 'unavailable') return { error: new SinkUnavailable(reply.why) }
  return { error: new StaleFence(`fence ${reply.fence} is below ${reply.highest}`) }
}

/** The error that the caller's promise rejects with. */
export function errorOf(reply: SinkReply): Error {
  const outcome = outcomeOf(reply)
  assert('error' in outcome, 'an applied effect has no error')
  return outcome.error
}

/** The fact in the history for the caller's answer. */
export interface AnswerText {
  readonly answer: 'receipt' | 'refused' | 'error'
  readonly error?: string
}

export function answerText(error: Error | null): AnswerText {
  if (error === null) return { answer: 'receipt' }
  return { answer: error instanceof SinkRefusal ? 'refused' : 'error', error: `${error.name}: ${error.message}` }
}
