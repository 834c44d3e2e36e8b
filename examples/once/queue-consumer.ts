/**
 * A consumer of a queue with visibility timeouts, as in Amazon SQS. The key is in the body, because
 * two sends of one message have different message ids. `producedAt` is also in the body, because
 * `SentTimestamp` is the time at which this copy was sent. A message is deleted with the receipt
 * handle of the delivery that finished it. If the queue has delivered the message again by then,
 * the handle may no longer be valid. The copy is then answered from the record.
 */
import type { Once } from 'onceproof/once'

export interface QueueMessage {
  readonly body: string
  /** The receipt handle of this delivery. */
  readonly receiptHandle: string
}

/** The part of a client that is used. */
export interface Queue {
  /**
   * One message, hidden from other consumers for the queue's visibility timeout; undefined if the
   * consumer is to stop.
   */
  receive(): Promise<QueueMessage | undefined>
  delete(receiptHandle: string): Promise<void>
  /** Hides the message for this time from now: 0 to 43,200 whole seconds. */
  changeVisibility(receiptHandle: string, seconds: number): Promise<void>
  deadLetter(body: string, why: string): Promise<void>
}

interface Body {
  readonly key: string
  readonly producedAt: number
  readonly payload: unknown
}

export async function consume(
  queue: Queue,
  once: Once,
  effect: (payload: unknown, fence: number) => Promise<unknown>,
): Promise<void> {
  for (;;) {
    const message = await queue.receive()
    if (message === undefined) return
    const { key, producedAt, payload }: Body = JSON.parse(message.body)
    const outcome = await once.run({ key, payload, producedAt }, ({ fence }) => effect(payload, fence))
    switch (outcome.status) {
      case 'done':
      case 'done-unkept':
      case 'refused':
        await queue.delete(message.receiptHandle)
        break
      case 'retry':
        await queue.changeVisibility(message.receiptHandle, Math.ceil(outcome.retryAfterMs / 1000))
        break
      case 'in-doubt':
      case 'failed':
      case 'conflict':
        await queue.deadLetter(message.body, outcome.status)
        await queue.delete(message.receiptHandle)
    }
  }
}
