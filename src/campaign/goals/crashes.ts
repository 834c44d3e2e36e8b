/**
 * Goals about the point of an attempt at which a process crashed. Only crashes by a fault are
 * considered. Exits that the layer caused are not.
 */
import {
  type DeliveryRecord,
  type EventOf,
  type HistoryIndex,
  indexHistory,
  isOpenAt,
  type RequestRecord,
} from '../../contract/api/history-index.ts'
import type { Goal } from './goal.ts'

const betweenCommands: ReadonlySet<string | undefined> = new Set([
  'command-unsent',
  'command-unexecuted',
  'command-executed',
  'reply-received',
])

/** Deliveries that a crash cut short. */
const crashed = (reading: HistoryIndex): DeliveryRecord[] =>
  [...reading.deliveries.values()].filter(({ cutShort }) => cutShort?.how === 'crashed')

const requestsOf = (delivery: DeliveryRecord, reading: HistoryIndex): RequestRecord[] =>
  [...reading.requests.values()].filter((request) => request.delivery === delivery)

/**
 * True if the broker has no answer: the delivery was unanswered, or was answered in the same turn
 * as the crash, so that the answer did not reach the broker.
 */
function brokerHasNoAnswer(delivery: DeliveryRecord, crash: EventOf<'process-ended'>, reading: HistoryIndex): boolean {
  if (isOpenAt(delivery, crash)) return true
  const { messageId } = delivery.delivered
  const settled = reading.of('settled').some((one) => one.messageId === messageId && one.seq < crash.seq)
  return delivery.answered?.atUs === crash.atUs && !settled
}

export const crashGoals: readonly Goal[] = [
  {
    name: 'a-process-crashed-before-its-effect',
    about: 'A process crashed while it handled a message, before it called the sink.',
    reached(history) {
      const reading = indexHistory(history)
      return crashed(reading).some((delivery) => requestsOf(delivery, reading).length === 0)
    },
  },
  {
    name: 'a-process-crashed-mid-logic',
    about: 'A process crashed at one of its Redis commands, while it handled a message.',
    reached(history) {
      const reading = indexHistory(history)
      const crashes = reading.of('fault-struck').filter(({ fault }) => fault === 'crash')
      const struck = crashes.filter(({ boundary }) => betweenCommands.has(boundary))
      return crashed(reading).some(({ delivered }) => struck.some(({ process }) => process === delivered.process))
    },
  },
  {
    name: 'a-message-never-came-back',
    about: 'A process crashed while it handled a message, and the broker never delivered that message again.',
    reached(history) {
      const reading = indexHistory(history)
      return crashed(reading).some(({ delivered, cutShort }) => {
        const passedOver = reading.ofMessage('settled', delivered.messageId).some(({ as }) => as === 'passed-over')
        const { key } = delivered
        const again = [...reading.ofKey('published', key), ...reading.ofKey('delivered', key)]
        return passedOver && again.every(({ seq }) => seq < cutShort!.seq)
      })
    },
  },
  {
    name: 'a-process-crashed-between-effect-and-acknowledgement',
    about: 'A process crashed after its effect was applied and before the effect was acknowledged.',
    reached(history) {
      const reading = indexHistory(history)
      const crashes = reading.of('process-ended').filter(({ how }) => how === 'crashed')
      return [...reading.requests.values()].some(({ applied, delivery, cutShort }) => {
        // Without a delivery, a relay sent the request.
        if (!delivery) return applied !== undefined && cutShort?.how === 'crashed' && cutShort.seq > applied.seq
        const crash = crashes.find(({ process }) => process === applied?.process)
        if (!applied || !crash || crash.seq < applied.seq) return false
        return brokerHasNoAnswer(delivery, crash, reading)
      })
    },
  },
]
