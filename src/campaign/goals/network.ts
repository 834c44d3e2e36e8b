/** Goals about the network between consumers and Redis. */
import { indexHistory, isOpenAt } from '../../contract/api/history-index.ts'
import type { Goal } from './goal.ts'

/**
 * If a message is lost within this time of a reset, the reset lost it, because both ends notice a
 * reset at once. In virtual microseconds.
 */
const sameMomentUs = 1000

/** Without a fault, no command that a client abandons takes this long. In virtual microseconds. */
const longGoneUs = 100_000

/** The minimum for "minutes later", in virtual microseconds. */
const minuteUs = 60_000_000

export const networkGoals: readonly Goal[] = [
  {
    name: 'a-reply-was-lost-after-its-command-executed',
    about: 'A command was executed, and its reply never reached the process that had sent it.',
    reached: (history) => indexHistory(history).of('reply-lost').length > 0,
  },
  {
    name: 'a-request-was-lost',
    about: 'A command left a process and was never executed.',
    reached: (history) => indexHistory(history).of('request-lost').length > 0,
  },
  {
    name: 'a-connection-was-reset-mid-command',
    about: 'Connections were reset while a command or its reply was in flight.',
    reached(history) {
      const reading = indexHistory(history)
      const resets = reading.of('fault-struck').filter(({ fault }) => fault === 'connection-reset')
      return [...reading.of('reply-lost'), ...reading.of('request-lost')].some((lost) =>
        resets.some((reset) => reset.process === lost.process && Math.abs(lost.atUs - reset.atUs) <= sameMomentUs),
      )
    },
  },
  {
    name: 'a-command-went-nowhere',
    about: 'A command was sent or answered on a half-open connection.',
    onlySimulated: true,
    reached(history) {
      const reading = indexHistory(history)
      const forgotten = reading.of('fault-struck').filter(({ fault }) => fault === 'half-open')
      return [...reading.of('reply-lost'), ...reading.of('request-lost')].some((lost) =>
        forgotten.some(({ process, seq }) => process === lost.process && seq < lost.seq),
      )
    },
  },
  {
    name: 'half-a-pipeline-was-executed',
    about: 'Some commands that left a process in one turn were executed, and others never.',
    needs: 'pipeline',
    onlySimulated: true,
    reached: (history) =>
      indexHistory(history)
        .of('command-strayed')
        .some(({ how }) => how === 'torn'),
  },
  {
    name: 'a-command-was-executed-after-its-client-had-given-up',
    about: 'A command timed out, its client closed the connection and went on, and then it was executed.',
    needs: 'command-timeout',
    store: 'redis',
    onlySimulated: true,
    reached: (history) =>
      indexHistory(history)
        .of('command-strayed')
        .some(({ how, forUs }) => how === 'given-up' && forUs >= longGoneUs),
  },
  {
    name: 'an-offline-queue-was-sent-minutes-later',
    about: 'A client reached Redis again after minutes and sent the commands of its offline queue.',
    needs: 'offline-queue',
    store: 'redis',
    onlySimulated: true,
    reached(history) {
      const reading = indexHistory(history)
      return reading
        .of('command-strayed')
        .filter(({ how, forUs }) => how === 'held-back' && forUs >= minuteUs)
        .some((sent) =>
          [...reading.deliveries.values()].some(
            (delivery) =>
              delivery.delivered.process === sent.process &&
              isOpenAt(delivery, sent) &&
              sent.atUs - delivery.delivered.atUs >= minuteUs,
          ),
        )
    },
  },
  {
    name: 'a-wait-was-sent-again',
    about: 'A WAIT lost its connection and was executed again on a connection that had written nothing.',
    needs: 'resent-wait',
    onlySimulated: true,
    reached: (history) =>
      indexHistory(history)
        .of('command-strayed')
        .some(({ how }) => how === 'sent-again'),
  },
  {
    name: 'a-partition-healed-while-a-delivery-was-open',
    about: 'A partition healed while a consumer was still handling a message.',
    reached(history) {
      const reading = indexHistory(history)
      return reading
        .of('fault-healed')
        .filter(({ fault }) => fault === 'partition')
        .some((healed) => [...reading.deliveries.values()].some((delivery) => isOpenAt(delivery, healed)))
    },
  },
]
