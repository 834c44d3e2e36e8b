/** Goals about the environment of the layer: clocks, stored data, and the messages themselves. */
import type { History } from '../../contract/api/history.ts'
import { type HistoryIndex, indexHistory, isOpenAt } from '../../contract/api/history-index.ts'
import type { Goal } from './goal.ts'

/** True if a matching fault struck while a message was being handled. */
function struckWhileOpen(history: History, isMeant: (fault: string) => boolean): boolean {
  const read = indexHistory(history)
  const deliveries = [...read.deliveries.values()]
  return read
    .of('fault-struck')
    .some((struck) => isMeant(struck.fault) && deliveries.some((delivery) => isOpenAt(delivery, struck)))
}

/**
 * True if a message was delivered after `later` for a key whose effect was applied before
 * `earlier`.
 */
function copyCame(read: HistoryIndex, earlier: { readonly seq: number }, later: { readonly seq: number }): boolean {
  const applied = read.of('effect-applied').filter(({ seq }) => seq < earlier.seq)
  return read.of('delivered').some(({ seq, key }) => seq > later.seq && applied.some((effect) => effect.key === key))
}

export const environmentGoals: readonly Goal[] = [
  {
    name: 'a-clock-went-astray-while-a-delivery-was-open',
    about: 'The clock of a consumer or of Redis jumped, drifted or stopped while a message was being handled.',
    reached: (history) => struckWhileOpen(history, (fault) => fault.startsWith('clock-')),
  },
  {
    name: 'a-copy-came-after-its-record-was-lost',
    about: 'A message was delivered for a key whose effect had happened and whose record had been lost since.',
    reached(history) {
      const read = indexHistory(history)
      return read.of('data-lost').some((lost) => copyCame(read, lost, lost))
    },
  },
  {
    name: 'a-message-was-published-again-after-the-loss',
    about: 'A key whose effect had happened and whose record had been lost since was published again, under a new id.',
    reached(history) {
      const read = indexHistory(history)
      return read.of('data-lost').some((lost) => {
        const applied = read.of('effect-applied').filter(({ seq }) => seq < lost.seq)
        return read
          .of('published')
          .some(({ seq, key, copy }) => !copy && seq > lost.seq && applied.some((effect) => effect.key === key))
      })
    },
  },
  {
    name: 'a-copy-came-after-redis-was-back',
    about: 'A message was delivered for a key whose effect had happened before Redis died and came back.',
    reached(history) {
      const read = indexHistory(history)
      const died = read.of('fault-struck').filter(({ fault }) => fault === 'redis-restart')
      return read.of('fault-healed').some((back) => {
        const death = died.find(({ index }) => index === back.index)
        return death !== undefined && copyCame(read, death, back)
      })
    },
  },
  {
    name: 'redis-stood-still-while-a-delivery-was-open',
    about: 'Redis executed nothing for a while, during which a message was being handled.',
    reached: (history) => struckWhileOpen(history, (fault) => fault === 'slow-redis'),
  },
  {
    name: 'a-machine-died-while-a-delivery-was-open',
    about: 'A replica or a Sentinel died while a message was being handled.',
    reached: (history) => struckWhileOpen(history, (fault) => fault === 'machine-restart'),
  },
  {
    name: 'a-key-came-with-another-payload',
    about: 'The producer used one key for two payloads.',
    reached(history) {
      const first = new Map<string, string>()
      for (const { key, fingerprint } of indexHistory(history).of('published')) {
        const known = first.get(key)
        if (known !== undefined && known !== fingerprint) return true
        first.set(key, fingerprint)
      }
      return false
    },
  },
  {
    name: 'a-consumer-died-of-a-message',
    about: 'A poison message killed the consumer that handled it.',
    reached: (history) =>
      indexHistory(history)
        .of('process-ended')
        .some(({ how }) => how === 'died'),
  },
  {
    name: 'a-copy-came-after-the-retention',
    about: 'A message was delivered after the retention of its key had passed.',
    reached(history) {
      const firstUs = new Map<string, number>()
      const read = indexHistory(history)
      for (const { key, atUs } of read.of('published')) if (!firstUs.has(key)) firstUs.set(key, atUs)
      return read.of('delivered').some(({ key, atUs }) => atUs - firstUs.get(key)! > history.header.retentionMs * 1000)
    },
  },
  {
    name: 'redis-refused-a-command',
    about: 'Redis answered a command with an error: out of memory, loading, busy or misconfigured.',
    reached: (history) =>
      indexHistory(history)
        .of('fault-struck')
        .some(({ fault }) => fault === 'error-reply'),
  },
]
