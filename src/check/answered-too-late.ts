/**
 * Messages that the broker gave up although a handler had answered. Each answer came after the
 * visibility timeout of its delivery, so the broker accepted no answer (Amazon SQS: the receipt
 * handle has expired). The layer is not at fault. `no-false-done` judges whether the answer was
 * true.
 */
import type { EventOf, HistoryIndex } from '../contract/api/history-index.ts'
import type { Outcome } from '../contract/api/message.ts'

/**
 * The outcomes that handlers answered for a message after their timeouts, before the broker gave it
 * up.
 */
export function answeredTooLate(givenUp: EventOf<'settled'>, key: string, reading: HistoryIndex): Outcome[] {
  return reading
    .deliveriesOf(key)
    .flatMap(({ delivered, timedOut, answered }) =>
      delivered.messageId === givenUp.messageId &&
      timedOut !== undefined &&
      answered !== undefined &&
      timedOut.seq < answered.seq &&
      answered.seq < givenUp.seq
        ? [answered.outcome]
        : [],
    )
}
