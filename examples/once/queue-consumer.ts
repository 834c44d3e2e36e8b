/**
 * A consumer of a queue with visibility timeouts, as Amazon SQS has them. The key is in the body,
 * because a producer that sends twice makes two message ids. `producedAt` is in the body too:
 * `SentTimestamp` is when this copy was sent. A message is deleted by the receipt handle of the
 * delivery that finished it. If it was delivered again meanwhile, that handle may no longer be
 * valid, and the next copy is answered from the record.
 */
import type { Once } from 'onceproof/once'

export interface QueueMessage {
  readonly body: string
  /** It belongs to this delivery. */
  readonly receiptHandle: string
}

/** The members of a client that are used. */
export interface Queue {
  /** One message, which others do not get for a while; undefined if the consumer has to stop. */
  receive(): Promise<QueueMessage | undefined>
  delete(receiptHandle: string): Promise<void>
  /** Hides the message for this many whole seconds from now, 0 to 43,200. */
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
