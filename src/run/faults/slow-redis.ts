import { serverFault } from './server-fault.ts'

/** The server's single thread is busy (KEYS *, a fork, a slow disk): all commands wait. */
export const slowRedis = serverFault({
  kind: 'slow-redis',
  about: 'the Redis server executes nothing for a while, and everything after it',
  delays: 'all',
  needs: 'a server that is up and executes commands',
  sentence: 'redis stops executing commands for a while',
  healed: 'redis executes what has waited',
  strike: (machine) => ({ do: 'stall', machine, on: true }),
  heal: (machine) => ({ do: 'stall', machine, on: false }),
})
