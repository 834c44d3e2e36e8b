/** Goals about how messages ended. */
import { type DeliveryRecord, type HistoryIndex, indexHistory } from '../../contract/api/history-index.ts'
import type { Goal } from './goal.ts'

/**
 * True if the delivery was answered `done` although it sent no request, after another delivery of
 * the key had been answered `done`.
 */
function fromTheStore({ delivered, answered }: DeliveryRecord, reading: HistoryIndex): boolean {
  if (answered?.outcome.status !== 'done') return false
  const sentItself = [...reading.requests.values()].some(
    ({ delivery }) => delivery?.delivered.deliveryId === delivered.deliveryId,
  )
  return (
    !sentItself &&
    [...reading.deliveries.values()].some(
      (other) =>
        other.delivered.key === delivered.key &&
        other.answered?.outcome.status === 'done' &&
        other.answered.seq < answered.seq,
    )
  )
}

export const outcomeGoals: readonly Goal[] = [
  {
    name: 'a-duplicate-was-answered-with-the-stored-result',
    about: 'A message whose key was done got the answer done without another request to the sink.',
    needs: 'stored-result',
    reached(history) {
      const reading = indexHistory(history)
      return [...reading.deliveries.values()].some((delivery) => fromTheStore(delivery, reading))
    },
  },
  {
    name: 'a-message-was-dead-lettered-in-doubt',
    about: 'A message was dead-lettered with a reason for a person to check.',
    needs: 'dead-lettering',
    notOn: { sinks: ['keyed', 'fenced'], because: 'the layer can ask such a sink and is never in doubt' },
    reached: (history) =>
      indexHistory(history)
        .of('settled')
        .some(({ as, reason }) => as === 'dead-lettered' && reason !== undefined && reason.startsWith('in-doubt')),
  },
  {
    name: 'everything-was-done-without-faults',
    about: 'A run without faults ended with every message done.',
    reached(history) {
      const reading = indexHistory(history)
      const done = new Set(reading.of('settled').flatMap(({ as, messageId }) => (as === 'done' ? [messageId] : [])))
      const published = reading.of('published')
      const rested = reading.of('ended').at(-1)?.complete === true
      return (
        history.header.faultFree && rested && published.length > 0 && published.every((one) => done.has(one.messageId))
      )
    },
  },
]
