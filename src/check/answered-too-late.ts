/**
 * A message that the broker gave up although a handler had answered for it: each answer came after
 * its visibility timeout, so the broker accepted none of them (Amazon SQS: the receipt handle has
 * expired by then). The layer did its part. Whether the answer was true is judged by
 * `no-false-done`.
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
