/**
 * A message on which the broker gave up although a handler had answered for it: each answer came
 * after its visibility time-out, so that the broker took none of them (Amazon SQS: a receipt handle
 * is void by then). The layer did its part. Whether the answer was true is judged by
 * `no-false-done`.
 */
import type { EventOf, HistoryIndex } from '../contract/api/history-index.ts'
import type { Outcome } from '../contract/api/message.ts'

/**
 * What handlers had answered for a message, each after its time-out, before the broker gave up on
 * it.
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
