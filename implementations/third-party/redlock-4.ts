/**
 * Library: redlock4
 * Promises: one holder of a resource at a time, until the lock's time to live has passed.
 * Said in: its README (4.2.0): introduction, "Configuration", "Usage (promise style)", "Using
 *   Cluster/Sentinel".
 * Used: one client, as the README allows; `driftFactor` 0.01, `retryCount` 10, `retryDelay` 200 ms
 *   and the default `retryJitter`. The time to live has no default: it is the lease, and is not
 *   extended. The adapter reads and sets the mark while it holds the lock.
 * Left:
 * - crash, beyond: a lock names its holder and records no finished work; a holder that dies after
 *   the effect has not set the mark (README, introduction: it locks resources).
 * - pause, beyond: the work continues after the lock has ended, and the README guarantees it only
 *   "up until the point when it expires" (README, "Usage (promise style)").
 * - Redis clock, beyond: a jump of Redis's clock ends the lock early; the README's `driftFactor`
 *   covers clocks that drift by a hundredth (README, "Configuration").
 * - failover, beyond: the README names this very case, a lock that is acquired twice because a
 *   replica had not received it (README, "Using Cluster/Sentinel").
 * - loss, beyond: one server came back without the lock and the mark; the README recommends three
 *   independent ones (README, "High-Availability Recommendations").
 * - expiry, beyond: the adapter's mark expires with the retention; the README has no marks.
 */
import { Redis } from 'ioredis'
import Redlock from 'redlock4'
import { defineImplementation } from '../../src/contract/api/implementation.ts'
import { ioredisMarks } from './parts/ioredis-marks.ts'
import { onceUnderLock } from './parts/once-under-lock.ts'

export default defineImplementation({
  id: 'redlock-4',
  about: 'A lock by redlock 4, as long as the lease, around a GET and a SET of a mark.',
  create(context) {
    const client = new Redis(context.redis.options)
    const redlock = new Redlock([client])
    return {
      handle: onceUnderLock(
        async (key, work) => {
          const lock = await redlock.lock(`locks:${key}`, context.leaseMs)
          try {
            return await work(() => {})
          } finally {
            // The README continues too: a lock that cannot be released expires.
            await lock.unlock().catch(() => {})
          }
        },
        ioredisMarks(client),
        context,
      ),
      close: () => client.disconnect(),
    }
  },
})
