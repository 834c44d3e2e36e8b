import { serverFault } from './redis-fault.ts'

export const redisOutOfMemory = serverFault({
  kind: 'redis-out-of-memory',
  about: 'the server has no memory left and refuses every write with OOM',
  needs: 'a server that is up and has memory',
  sentence: 'redis is out of memory and refuses writes',
  healed: 'redis has memory again',
  strike: (redis) => redis.trouble('outOfMemory', true),
  heal: (redis) => redis.trouble('outOfMemory', false),
})
