/** `done` with the result of `perform`, or `refused` if the sink refused. Throws other errors. */
import type { Message, Outcome } from '../../../src/contract/api/message.ts'
import type { EffectResult } from '../../../src/contract/api/sink.ts'

export function answeringRefusals<Order extends Pick<Message, 'key' | 'payload'>>(
  perform: (order: Order) => Promise<EffectResult>,
): (order: Order) => Promise<Outcome> {
  return async (order) => {
    try {
      return { status: 'done', result: await perform(order) }
    } catch (error) {
      if (!(error instanceof Error) || error.name !== 'SinkRefusal') throw error
      return { status: 'refused', error: error.message }
    }
  }
}
