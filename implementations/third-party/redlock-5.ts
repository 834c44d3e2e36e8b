/**
 * Library: redlock5
 * Promises: one holder of a resource at a time, for as long as `using` extends the lock; if that
 *   fails, the routine's signal reports it.
 * Said in: its README (5.0.0-beta.2): introduction, "Configuration", "Usage", "Using
 *   Cluster/Sentinel".
 * Used: `using` with one client, as the README allows; `driftFactor` 0.01, `retryCount` 10,
 *   `retryDelay` 200 ms and the default `retryJitter`, `automaticExtensionThreshold` 500 ms. The
 *   duration has no default: it is the lease. The signal is checked before the effect, as the
 *   README does between two steps. The adapter reads and sets the mark while it holds the lock.
 * Left:
 * - crash, beyond: a lock names its holder and records no finished work; a holder that dies after
 *   the effect has not set the mark (README, introduction: it locks resources).
 * - pause, beyond: a paused process extends nothing and checks no signal; the README checks the
 *   signal between steps, and a running effect has no steps (README, "Usage").
 * - Redis clock, beyond: a jump of Redis's clock ends the lock early; the README's `driftFactor`
 *   covers clocks that drift by a hundredth (README, "Configuration").
 * - failover, beyond: the README names this very case, a lock that is acquired twice because a
 *   replica had not received it (README, "Using Cluster/Sentinel").
 * - loss, beyond: one server came back without the lock and the mark; the README recommends three
 *   independent ones (README, "High-Availability Recommendations").
 * - expiry, beyond: the adapter's mark expires with the retention; the README has no marks.
 */
import Redlock from 'redlock5'
import { defineImplementation } from '../../src/contract/api/implementation.ts'
import { shortestLockMs, usingOneServer } from './parts/redlock-using.ts'

export default defineImplementation({
  id: 'redlock-5',
  about: 'A lock by redlock 5 that extends itself, as long as the lease, around a GET and a SET of a mark.',
  minLeaseMs: shortestLockMs,
  create: (context) => usingOneServer(context, (client) => new Redlock([client])),
})
