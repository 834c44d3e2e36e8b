import { serverFault } from './redis-fault.ts'

/** The server dies and comes back empty: no persistence, as a cache is run. */
export const redisRestart = serverFault({
  kind: 'redis-restart',
  about: 'the Redis server dies, and comes back with no data and no scripts',
  sentence: 'redis dies with all its data',
  healed: 'redis is back, empty',
  strike(redis) {
    redis.stop()
    return true
  },
  heal: (redis) => redis.startEmpty(),
})
