/** Goals about the network between consumers and Redis. */
import { isOpenAt, readHistory } from '../../contract/reading.ts'
import type { Goal } from './goal.ts'

/** How soon after a reset a loss counts as its doing, in virtual microseconds: both ends notice at once. */
const sameMomentUs = 1000

export const networkGoals: readonly Goal[] = [
  {
    name: 'a-reply-was-lost-after-its-command-executed',
    about: 'A command was executed, and its reply never reached the process that had sent it.',
    reached: (history) => readHistory(history).of('reply-lost').length > 0,
  },
  {
    name: 'a-request-was-lost',
    about: 'A command left a process and was never executed.',
    reached: (history) => readHistory(history).of('request-lost').length > 0,
  },
  {
    name: 'a-connection-was-reset-mid-command',
    about: 'Connections were reset while a command or its reply was under way on one of them.',
    reached(history) {
      const reading = readHistory(history)
      const resets = reading.of('fault-struck').filter(({ fault }) => fault === 'connection-reset')
      return [...reading.of('reply-lost'), ...reading.of('request-lost')].some((lost) =>
        resets.some((reset) => reset.process === lost.process && Math.abs(lost.atUs - reset.atUs) <= sameMomentUs),
      )
    },
  },
  {
    name: 'a-partition-healed-while-a-delivery-was-open',
    about: 'A partition healed while a consumer was still handling a message.',
    reached(history) {
      const reading = readHistory(history)
      return reading
        .of('fault-healed')
        .filter(({ fault }) => fault === 'partition')
        .some((healed) => [...reading.deliveries.values()].some((delivery) => isOpenAt(delivery, healed)))
    },
  },
]
