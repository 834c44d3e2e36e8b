/** What a caller of the sink is answered, and the errors that a layer sees in its place. */

import { assert } from 'virtual-node/assert'
import type { EffectResult } from '../../contract/api/sink.ts'

export type SinkReply =
  /** `receipt`: what the caller is handed. */
  | { readonly status: 'applied'; readonly receipt: EffectResult }
  | { readonly status: 'refused' }
  | { readonly status: 'cancelled' }
  | { readonly status: 'stale-fence'; readonly fence: number; readonly highest: number }
  /** An answer that is none. */
  | { readonly status: 'unavailable'; readonly why: string }

/** The sink said no for good: no effect, and none will come from this request. */
export class SinkRefusal extends Error {
  override readonly name = 'SinkRefusal'
}

/** A fenced sink has seen a higher fence: this request had no effect; another holder's may. */
export class StaleFence extends Error {
  override readonly name = 'StaleFence'
}

/** No answer in time: the effect may or may not have happened, and may still happen. */
export class SinkTimeout extends Error {
  override readonly name = 'SinkTimeout'

  constructor(timeoutMs: number) {
    super(`no answer from the sink within ${timeoutMs} ms`)
  }
}

/** An answer that is no answer (502, connection reset): the effect may or may not have happened. */
export class SinkUnavailable extends Error {
  override readonly name = 'SinkUnavailable'
}

/** What the caller's promise comes to: what the effect gave, or the error that it rejects with. */
export function outcomeOf(reply: SinkReply): { readonly value: EffectResult } | { readonly error: Error } {
  if (reply.status === 'applied') return { value: reply.receipt }
  if (reply.status === 'refused') return { error: new SinkRefusal('the sink refuses this request for good') }
  if (reply.status === 'cancelled') return { error: new SinkRefusal('this request was cancelled before it came') }
  if (reply.status === 'unavailable') return { error: new SinkUnavailable(reply.why) }
  return { error: new StaleFence(`fence ${reply.fence} is below ${reply.highest}`) }
}

/** What the caller's promise rejects with. */
export function errorOf(reply: SinkReply): Error {
  const outcome = outcomeOf(reply)
  assert('error' in outcome, 'an applied effect has no error')
  return outcome.error
}

/** How the history tells what the caller got. */
export interface AnswerText {
  readonly answer: 'receipt' | 'refused' | 'error'
  readonly error?: string
}

export function answerText(error: Error | null): AnswerText {
  if (error === null) return { answer: 'receipt' }
  return { answer: error instanceof SinkRefusal ? 'refused' : 'error', error: `${error.name}: ${error.message}` }
}
