/**
 * Goals about lost or outlived locks. A lease is measured on the world's clock from the delivery of
 * the message, because the history shows every delivery, but shows a lock only if the layer reports
 * it. Each goal is `n/a` for a layer that does not have what the goal `needs`.
 */
import type { History } from '../../contract/api/history.ts'
import {
  type DeliveryRecord,
  endOfDelivery,
  type HistoryIndex,
  indexHistory,
  isOpenAt,
} from '../../contract/api/history-index.ts'
import type { Goal } from './goal.ts'

const leaseUs = (history: History): number => history.header.leaseMs * 1000

/** True if the holder's process crashed or was paused during the attempt, before `beforeSeq`. */
function hadStopped(holder: DeliveryRecord, beforeSeq: number, reading: HistoryIndex): boolean {
  const { cutShort, delivered } = holder
  if (cutShort && cutShort.how !== 'closed' && cutShort.seq < beforeSeq) return true
  return reading
    .of('process-paused')
    .some((paused) => paused.process === delivered.process && paused.seq < beforeSeq && isOpenAt(holder, paused))
}

/**
 * True if another process called the sink for the key after the holder had stopped and its lease
 * had expired.
 */
function wasTakenOver(holder: DeliveryRecord, history: History, reading: HistoryIndex): boolean {
  const { delivered } = holder
  return reading
    .of('effect-sent')
    .some(
      (sent) =>
        sent.key === delivered.key &&
        sent.process !== delivered.process &&
        sent.atUs - delivered.atUs > leaseUs(history) &&
        hadStopped(holder, sent.seq, reading) &&
        (holder.answered === undefined || holder.answered.seq > sent.seq),
    )
}

export const leaseGoals: readonly Goal[] = [
  {
    name: 'a-holder-outlived-its-lease',
    about: 'A consumer handled a message for longer than a lease.',
    needs: 'lease',
    reached: (history) =>
      [...indexHistory(history).deliveries.values()].some((delivery) => {
        const end = endOfDelivery(delivery)
        return end !== undefined && end.atUs - delivery.delivered.atUs > leaseUs(history)
      }),
  },
  {
    name: 'an-effect-outlived-the-lease',
    about: 'An effect was applied more than a lease after its message was delivered.',
    needs: 'lease',
    reached: (history) =>
      [...indexHistory(history).requests.values()].some(
        ({ applied, delivery }) => applied && delivery && applied.atUs - delivery.delivered.atUs > leaseUs(history),
      ),
  },
  {
    name: 'a-paused-process-resumed-after-its-lease',
    about: 'A process stopped while it handled a message and went on when the lease was over.',
    needs: 'lease',
    reached(history) {
      const reading = indexHistory(history)
      return reading.of('process-resumed').some((resumed) => {
        const paused = reading
          .of('process-paused')
          .findLast((one) => one.process === resumed.process && one.seq < resumed.seq)
        return [...reading.deliveries.values()].some(
          (delivery) =>
            delivery.delivered.process === resumed.process &&
            paused !== undefined &&
            isOpenAt(delivery, paused) &&
            resumed.atUs - delivery.delivered.atUs > leaseUs(history),
        )
      })
    },
  },
  {
    name: 'a-layer-went-on-after-it-had-lost-its-lock',
    about: 'A layer called the sink for a key after it had reported that its lock for the key was lost.',
    needs: 'lock-reports',
    reached(history) {
      const reading = indexHistory(history)
      return reading.of('effect-sent').some(({ process, key, seq }) => {
        const said = reading.ofKey('lock', key).findLast((one) => one.process === process && one.seq < seq)
        return said?.what === 'lost'
      })
    },
  },
  {
    name: 'a-lease-was-taken-over',
    about:
      'A consumer called the sink for a key more than a lease after the key was delivered to an earlier holder, which had crashed or paused.',
    needs: 'lease',
    reached(history) {
      const reading = indexHistory(history)
      return [...reading.deliveries.values()].some((holder) => wasTakenOver(holder, history, reading))
    },
  },
]
