/**
 * Library: @microfleet/ioredis-lock, ioredis5
 * Promises: atomic acquire and release of a lock that lasts for `timeout`; only its holder can
 *   release it.
 * Said in: its README (6.0.1): "Overview", "Implementation".
 * Used: `createLock(client)` without options: `timeout` 10 s; the README says no retries, but the
 *   code makes six, 50 ms apart. The client is an ioredis that the library declares as its peer.
 *   Nothing is extended. The adapter reads and sets the mark while it holds the lock.
 * Left:
 * - crash, beyond: a lock names its holder and records no finished work; a holder that dies after
 *   the effect has not set the mark (README, "Overview": atomic acquire and release).
 * - pause, beyond: the work continues after `timeout`, when the lock expires; the README's
 *   `release` then says that it had expired, which is after the effect (README, "lock.release").
 * - Redis clock, beyond: a jump of Redis's clock ends the lock before `timeout` has passed; the
 *   README relies on the expiry of one key in Redis (README, "Implementation").
 * - failover, beyond: the lock is one key of one server (README, "Implementation"), and a replica
 *   may not have received it.
 * - loss, beyond: the lock is one key of one server (README, "Implementation"), which came back
 *   without it and the mark.
 * - expiry, beyond: the adapter's mark expires with the retention; the README has no marks.
 */
import { createLock } from '@microfleet/ioredis-lock'
import { Redis } from 'ioredis5'
import { defineImplementation } from '../../src/contract/api/implementation.ts'
import { ioredisMarks } from './parts/ioredis-marks.ts'
import { onceUnderLock } from './parts/once-under-lock.ts'

export default defineImplementation({
  id: 'ioredis-lock',
  about: 'A lock by @microfleet/ioredis-lock, held for 10 seconds, around a GET and a SET of a mark.',
  create(context) {
    const client = new Redis(context.redis.options)
    return {
      handle: onceUnderLock(
        async (key, work) => {
          // The lock's types resolve to the ioredis installed here, which is newer than it needs.
          const lock = createLock(client as never)
          await lock.acquire(`lock:${key}`)
          try {
            return await work(() => {})
          } finally {
            // As in the README: a lock that could not be released has ended, or will.
            await lock.release().catch(() => {})
          }
        },
        ioredisMarks(client),
        context,
      ),
      close: () => client.disconnect(),
    }
  },
})
