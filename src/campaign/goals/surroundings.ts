/** Goals about what happens around the layer: clocks, the data set, the messages themselves. */
import { isOpenAt, readHistory } from '../../contract/reading.ts'
import type { Goal } from './goal.ts'

export const surroundingGoals: readonly Goal[] = [
  {
    name: 'a-clock-went-astray-while-a-delivery-was-open',
    about: 'The clock of a consumer or of Redis jumped, drifted or stood still while a message was being handled.',
    reached(history) {
      const read = readHistory(history)
      const deliveries = [...read.deliveries.values()]
      return read
        .of('fault-struck')
        .some(
          (struck) => struck.fault.startsWith('clock-') && deliveries.some((delivery) => isOpenAt(delivery, struck)),
        )
    },
  },
  {
    name: 'a-copy-came-after-its-record-was-lost',
    about: 'A message was delivered for a key whose effect had happened and whose record had been lost since.',
    reached(history) {
      const read = readHistory(history)
      return read.of('data-lost').some((lost) => {
        const applied = read.of('effect-applied').filter(({ seq }) => seq < lost.seq)
        return read
          .of('delivered')
          .some(({ seq, key }) => seq > lost.seq && applied.some((effect) => effect.key === key))
      })
    },
  },
  {
    name: 'a-copy-came-after-redis-was-back',
    about: 'A message was delivered for a key whose effect had happened before Redis died and came back.',
    reached(history) {
      const read = readHistory(history)
      const died = read.of('fault-struck').filter(({ fault }) => fault === 'redis-restart')
      return read.of('fault-healed').some((back) => {
        const death = died.find(({ index }) => index === back.index)
        if (death === undefined) return false
        const applied = read.of('effect-applied').filter(({ seq }) => seq < death.seq)
        return read
          .of('delivered')
          .some(({ seq, key }) => seq > back.seq && applied.some((effect) => effect.key === key))
      })
    },
  },
  {
    name: 'redis-stood-still-while-a-delivery-was-open',
    about: 'Redis executed nothing for a while, in which a message was being handled.',
    reached(history) {
      const read = readHistory(history)
      const deliveries = [...read.deliveries.values()]
      return read
        .of('fault-struck')
        .some((struck) => struck.fault === 'slow-redis' && deliveries.some((delivery) => isOpenAt(delivery, struck)))
    },
  },
  {
    name: 'a-machine-died-while-a-delivery-was-open',
    about: 'A replica or a Sentinel died while a message was being handled.',
    reached(history) {
      const read = readHistory(history)
      const deliveries = [...read.deliveries.values()]
      return read
        .of('fault-struck')
        .some(
          (struck) => struck.fault === 'machine-restart' && deliveries.some((delivery) => isOpenAt(delivery, struck)),
        )
    },
  },
  {
    name: 'a-key-came-with-another-payload',
    about: 'The producer used one key for two payloads.',
    reached(history) {
      const first = new Map<string, string>()
      for (const { key, fingerprint } of readHistory(history).of('published')) {
        const known = first.get(key)
        if (known !== undefined && known !== fingerprint) return true
        first.set(key, fingerprint)
      }
      return false
    },
  },
  {
    name: 'a-consumer-died-of-a-message',
    about: 'A poisonous message killed the consumer that handled it.',
    reached: (history) =>
      readHistory(history)
        .of('process-ended')
        .some(({ how }) => how === 'died'),
  },
  {
    name: 'a-copy-came-after-the-retention',
    about: 'A message was delivered longer after its key was born than the layer was told to remember it.',
    reached(history) {
      const born = new Map<string, number>()
      const read = readHistory(history)
      for (const { key, atUs } of read.of('published')) if (!born.has(key)) born.set(key, atUs)
      return read.of('delivered').some(({ key, atUs }) => atUs - born.get(key)! > history.header.retentionMs * 1000)
    },
  },
  {
    name: 'redis-refused-a-command',
    about: 'Redis answered a command with an error of its own: out of memory, loading, busy, misconfigured.',
    reached: (history) =>
      readHistory(history)
        .of('fault-struck')
        .some(({ fault }) => fault === 'error-reply'),
  },
]
