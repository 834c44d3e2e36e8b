/**
 * A consumer of a queue with visibility time-outs, as Amazon SQS has them. The key is in the body: the message id is another
 * one where a producer sends twice. `producedAt` is in the body as well, since `SentTimestamp` is when this copy was sent. A
 * message is deleted by the receipt handle of the delivery that finished it; one that was handed out again meanwhile may have
 * made that handle worthless, and the copy is answered from the record.
 */
import type { Once } from '../../src/impl/once.ts'

export interface QueueMessage {
  readonly body: string
  /** Of this delivery. */
  readonly receiptHandle: string
}

/** As much of a client as is used. */
export interface Queue {
  /** One message, hidden from others for the queue's visibility time-out; undefined once the consumer is to stop. */
  receive(): Promise<QueueMessage | undefined>
  delete(receiptHandle: string): Promise<void>
  /** Hidden for this much longer, from now; 0 to 43,200 s, whole seconds. */
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
