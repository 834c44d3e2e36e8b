import { serverFault } from './server-fault.ts'

/** All commands wait, as while the server's single thread is busy (KEYS *, a fork, a slow disk). */
export const slowRedis = serverFault({
  kind: 'slow-redis',
  about: 'the Redis server stalls for a while, then executes everything',
  delays: 'all',
  needs: 'a server that is up and executes commands',
  sentence: 'redis stops executing commands for a while',
  healed: 'redis executes the waiting commands',
  strike: (machine) => ({ do: 'stall', machine, on: true }),
  heal: (machine) => ({ do: 'stall', machine, on: false }),
})
