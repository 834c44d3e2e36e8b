/** Goals about a service that answers with errors. */
import { indexHistory, isOpenAt } from '../../contract/api/history-index.ts'
import type { Goal } from './goal.ts'

/** True if the fault struck while a message was being handled. */
const struckInADelivery =
  (kind: string): Goal['reached'] =>
  (history) => {
    const read = indexHistory(history)
    const deliveries = [...read.deliveries.values()]
    return read
      .of('fault-struck')
      .some((struck) => struck.fault === kind && deliveries.some((delivery) => isOpenAt(delivery, struck)))
  }

export const serviceGoals: readonly Goal[] = [
  {
    name: 'requests-were-throttled-while-a-delivery-was-open',
    about: 'DynamoDB refused every request while a message was being handled.',
    reached: struckInADelivery('dynamodb-throttled'),
  },
  {
    name: 'a-request-got-an-internal-error',
    about: 'DynamoDB answered a request of a handler with an error that leaves its outcome open.',
    reached: struckInADelivery('dynamodb-error'),
  },
]
