import { serverFault } from './server-fault.ts'

/** Demand exceeds the table's throughput: every request is refused and not executed. */
export const dynamodbThrottled = serverFault({
  kind: 'dynamodb-throttled',
  store: 'dynamodb',
  about: 'the DynamoDB service throttles every request for a while',
  delays: 'all',
  needs: 'a DynamoDB that accepts requests',
  sentence: 'dynamodb throttles all requests',
  healed: 'dynamodb stops throttling',
  strike: (machine) => ({ do: 'throttle', machine, on: true }),
  heal: (machine) => ({ do: 'throttle', machine, on: false }),
})
