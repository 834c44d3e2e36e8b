/**
 * An invariant for scenarios in which only a stall of the store can prevent a message from being
 * done at its last attempt. A layer that declares the reason with which it dead-letters a message
 * after a number of failed attempts (`deadLetterReasons.failed`) must not count attempts that ended
 * because the store did not answer.
 *
 * Kind `given-up-too-soon`: fewer deliveries of the key than declared were handled while the store
 * answered (and did not find another holder). Keys for which a request was sent, or that a process
 * held when it died, are not judged: their attempts may have failed for another reason. A layer can
 * decrement its count of attempts only when it reaches its store again. So these scenarios must
 * have a single consumer, whose next attempt comes after the layer has decremented the count.
 */
import type { History } from '../../contract/api/history.ts'
import { type DeliveryRecord, endOfDelivery, type HistoryIndex } from '../../contract/api/history-index.ts'
import { defineInvariant, type Violation } from '../../contract/api/verdict.ts'
import { msText } from '../../contract/results/time-text.ts'

/**
 * Periods in which the store stalled: from the strike of the fault `slow-redis` until it healed, or
 * forever.
 */
function silences(reading: HistoryIndex): { readonly fromSeq: number; readonly toSeq: number }[] {
  return reading
    .of('fault-struck')
    .filter(({ fault }) => fault === 'slow-redis')
    .map(({ index, seq }) => {
      const healed = reading.of('fault-healed').find((one) => one.index === index && one.seq > seq)
      return { fromSeq: seq, toSeq: healed?.seq ?? Number.POSITIVE_INFINITY }
    })
}

/** True if the delivery may have failed although the store answered. */
function failedByItself(delivery: DeliveryRecord, reading: HistoryIndex): boolean {
  const outcome = delivery.answered?.outcome
  if (outcome?.status === 'dead-letter' || (outcome?.status === 'retry' && outcome.afterMs !== undefined)) return false
  const endSeq = endOfDelivery(delivery)?.seq ?? Number.POSITIVE_INFINITY
  return !silences(reading).some(({ fromSeq, toSeq }) => fromSeq < endSeq && delivery.delivered.seq < toSeq)
}

function judge({ header }: History, reading: HistoryIndex): { whereSupported: Violation[] } {
  const said = header.deadLetterReasons!.failed!
  const whereSupported = reading.of('settled').flatMap((settled): Violation[] => {
    const message = reading.ofMessage('published', settled.messageId)[0]
    if (settled.as !== 'dead-lettered' || settled.reason !== said.reason || message === undefined) return []
    const { key, messageId, seq } = message
    const deliveries = reading.deliveriesOf(key).filter(({ delivered }) => delivered.seq < settled.seq)
    if (reading.requestsOf(key).length > 0 || deliveries.some(({ cutShort }) => cutShort !== undefined)) return []
    const failed = deliveries.filter((one) => failedByItself(one, reading)).length
    if (failed >= said.attempts) return []
    return [
      {
        kind: 'given-up-too-soon',
        key,
        sentence:
          `${messageId} (key ${key}) was dead-lettered at ${msText(settled.atUs)} as "${settled.reason}", but only ${failed} of its deliveries ` +
          'were handled while the store answered',
        events: [seq, settled.seq],
      },
    ]
  })
  return { whereSupported }
}

export const givenUpTooSoon = defineInvariant({
  id: 'given-up-too-soon',
  about: 'An attempt that could not reach the store does not count against its message.',
  needs: 'deadLetterReasons.failed',
  judge,
})
