import { serverFault } from './server-fault.ts'

/** A changed maxmemory-policy allows eviction, memory runs short, and some keys are evicted. */
export const eviction = serverFault({
  kind: 'eviction',
  about: 'maxmemory-policy is set to allkeys-random, and the server evicts some of its keys',
  delays: 'none',
  needs: 'a server that is up and does not evict',
  sentence: 'maxmemory-policy of redis is set to allkeys-random, so it may evict keys',
  healed: 'maxmemory-policy of redis is noeviction again',
  strike: (machine) => ({ do: 'evict', machine, on: true }),
  heal: (machine) => ({ do: 'evict', machine, on: false }),
})
