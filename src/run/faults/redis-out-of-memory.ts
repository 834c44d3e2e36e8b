import { serverFault } from './server-fault.ts'

export const redisOutOfMemory = serverFault({
  kind: 'redis-out-of-memory',
  about: 'the server has no memory left and refuses every write with OOM',
  delays: 'all',
  needs: 'a server that is up and has memory',
  sentence: 'redis is out of memory and refuses writes',
  healed: 'redis has memory again',
  strike: (machine) => ({ do: 'degrade', machine, what: 'outOfMemory', on: true }),
  heal: (machine) => ({ do: 'degrade', machine, what: 'outOfMemory', on: false }),
})
