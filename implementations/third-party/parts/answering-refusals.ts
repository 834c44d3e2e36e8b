/** Answers `done` with what `perform` gives, and `refused` where the sink refused for good. Other errors come out. */
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
