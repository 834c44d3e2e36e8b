/**
 * Library: redis-semaphore
 * Promises: one holder of a mutex at a time; it is refreshed while it is held, and its loss is
 *   reported.
 * Said in: its README (5.8.0): "Features", "Mutex", "Example with lost lock handling".
 * Used: `Mutex`, `acquire` and `release`; `lockTimeout`, `acquireTimeout` 10 s, `retryInterval` 10
 *   ms, `refreshInterval` 8 s. A lost mutex throws an unhandled error, which ends the process by
 *   default. The adapter reads and sets the mark while it holds the mutex. A refresh that finds its
 *   mutex gone takes it again in 5.3.0, and reports it lost from 5.3.1 on. No scenario here
 *   distinguishes the two: this needs an effect longer than `refreshInterval`, and a FLUSHALL
 *   during the effect while no other attempt waits. Then 5.3.0 performs one effect, and 5.3.1 ends
 *   its process, after which the effect is repeated.
 * Left:
 * - crash, beyond: a mutex names its holder and records no finished work; a holder that dies after
 *   the effect has not set the mark (README, "Mutex": a key for locking a resource).
 * - pause, beyond: a paused process refreshes nothing, and its mutex is released after
 *   `lockTimeout` (README, "Mutex").
 * - Redis clock, beyond: a jump of Redis's clock ends the mutex before `lockTimeout`; the README
 *   speaks of clocks for semaphores only, and wants `lockTimeout` above their differences (README,
 *   "Semaphore").
 * - failover, beyond: `Mutex` is for one server; for several the README has `RedlockMutex`, on
 *   nodes without replication (README, "RedlockMutex").
 * - loss, beyond: one server came back without the mutex and the mark; for more than one the README
 *   has `RedlockMutex` (README, "RedlockMutex").
 * - expiry, beyond: the adapter's mark expires with the retention; the README has no marks.
 */
import { Redis } from 'ioredis'
import { Mutex } from 'redis-semaphore'
import { defineImplementation } from '../../src/contract/api/implementation.ts'
import { ioredisMarks } from './parts/ioredis-marks.ts'
import { onceUnderLock } from './parts/once-under-lock.ts'

export default defineImplementation({
  id: 'redis-semaphore',
  about: 'A mutex by redis-semaphore that refreshes itself, around a GET and a SET of a mark.',
  create(context) {
    const client = new Redis(context.redis.options)
    return {
      handle: onceUnderLock(
        async (key, work) => {
          const mutex = new Mutex(client, key)
          await mutex.acquire()
          try {
            return await work(() => {})
          } finally {
            await mutex.release()
          }
        },
        ioredisMarks(client),
        context,
      ),
      close: () => client.disconnect(),
    }
  },
})
