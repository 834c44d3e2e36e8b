/** Goals about database transactions and the outcome of their commits. */
import { indexHistory, isOpenAt } from '../../contract/api/history-index.ts'
import type { Goal } from './goal.ts'

const deaths: ReadonlySet<string> = new Set(['postgres-restart', 'postgres-failover'])

export const transactionGoals: readonly Goal[] = [
  {
    name: 'a-commit-was-in-doubt',
    about: 'A COMMIT was executed, and its reply never reached the process that had sent it.',
    needs: 'transactions',
    reached: (history) =>
      indexHistory(history)
        .of('reply-lost')
        .some(({ command }) => command === 'COMMIT'),
  },
  {
    name: 'a-commit-was-never-executed',
    about: 'A COMMIT left a process and was never executed, so that its transaction was rolled back.',
    needs: 'transactions',
    reached: (history) =>
      indexHistory(history)
        .of('request-lost')
        .some(({ command }) => command === 'COMMIT'),
  },
  {
    name: 'a-database-died-while-a-delivery-was-open',
    about: 'The PostgreSQL server died, or was lost, while a message was being handled.',
    reached(history) {
      const read = indexHistory(history)
      const deliveries = [...read.deliveries.values()]
      return read
        .of('fault-struck')
        .some((struck) => deaths.has(struck.fault) && deliveries.some((delivery) => isOpenAt(delivery, struck)))
    },
  },
  {
    name: 'a-failover-lost-commits',
    about: 'The standby took over without commits that clients had the reply to.',
    reached: (history) =>
      indexHistory(history)
        .of('data-lost')
        .some(({ node, cause }) => node === 'postgres' && cause === 'failover'),
  },
]
