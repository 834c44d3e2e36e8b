import { serverFault } from './server-fault.ts'

/** All requests wait, as while a partition splits or a storage node is replaced. */
export const slowDynamodb = serverFault({
  kind: 'slow-dynamodb',
  store: 'dynamodb',
  about: 'the DynamoDB service stalls for a while, then executes everything',
  delays: 'all',
  needs: 'a DynamoDB that executes requests',
  sentence: 'dynamodb stops executing requests for a while',
  healed: 'dynamodb executes the waiting requests',
  strike: (machine) => ({ do: 'stall', machine, on: true }),
  heal: (machine) => ({ do: 'stall', machine, on: false }),
})
