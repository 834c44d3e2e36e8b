/** Goals about how often messages were delivered, and to which consumers. */
import { indexHistory, isOpenAt } from '../../contract/api/history-index.ts'
import type { Goal } from './goal.ts'

export const brokerGoals: readonly Goal[] = [
  {
    name: 'a-message-was-redelivered',
    about: 'The broker delivered a message more than once.',
    reached(history) {
      const seen = new Set<string>()
      return indexHistory(history)
        .of('delivered')
        .some(({ messageId }) => seen.size === seen.add(messageId).size)
    },
  },
  {
    name: 'a-message-was-redelivered-after-the-retention',
    about: 'The broker redelivered a message after the retention of its key had passed.',
    reached(history) {
      const read = indexHistory(history)
      const first = new Map<string, number>()
      for (const { messageId, atUs } of read.of('published')) if (!first.has(messageId)) first.set(messageId, atUs)
      const retentionUs = history.header.retentionMs * 1000
      return read
        .of('delivered')
        .some(({ messageId, attempt, atUs }) => attempt > 1 && atUs - first.get(messageId)! > retentionUs)
    },
  },
  {
    name: 'two-consumers-had-one-message-at-once',
    about: 'A consumer got a message that another one was still handling.',
    reached(history) {
      const deliveries = [...indexHistory(history).deliveries.values()]
      return deliveries.some(({ delivered }) =>
        deliveries.some(
          (other) =>
            other.delivered.messageId === delivered.messageId &&
            other.delivered.process !== delivered.process &&
            isOpenAt(other, delivered),
        ),
      )
    },
  },
  {
    name: 'a-broker-skipped-the-offset-of-an-unfinished-message',
    about: 'The broker considered a message finished while a consumer was still handling it.',
    reached(history) {
      const read = indexHistory(history)
      return read
        .of('settled')
        .filter(({ as }) => as === 'passed-over')
        .some((passed) =>
          [...read.deliveries.values()].some(
            (delivery) => delivery.delivered.messageId === passed.messageId && isOpenAt(delivery, passed),
          ),
        )
    },
  },
  {
    name: 'an-acknowledgement-was-lost',
    about: "A consumer's answer never reached the broker.",
    reached: (history) => indexHistory(history).of('acknowledgement-lost').length > 0,
  },
]
