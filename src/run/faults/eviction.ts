import { serverFault } from './server-fault.ts'

/**
 * maxmemory-policy is changed to one that allows eviction, and because memory is short, the server
 * evicts some keys.
 */
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
