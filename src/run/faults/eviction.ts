import { serverFault } from './server-fault.ts'

/** A changed maxmemory-policy allows eviction, memory runs short, and some keys are evicted. */
export const eviction = serverFault({
  kind: 'eviction',
  about: 'maxmemory-policy is changed to one that evicts, and the server evicts some of its keys',
  delays: 'none',
  needs: 'a server that is up and does not evict',
  sentence: 'maxmemory-policy of redis is changed to allkeys-random, and it may evict keys',
  healed: 'maxmemory-policy of redis is noeviction again',
  strike: (machine) => ({ do: 'evict', machine, on: true }),
  heal: (machine) => ({ do: 'evict', machine, on: false }),
})
