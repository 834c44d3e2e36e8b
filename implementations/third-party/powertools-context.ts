/**
 * Library: @aws-lambda-powertools/idempotency
 * Promises: a handler runs once for a key within a time window, later calls get the same result,
 *   calls at the same time get an error, and a call that timed out may be run again.
 * Said in: its documentation (Powertools for AWS Lambda, TypeScript, Idempotency): "Key features",
 *   "MakeIdempotent function wrapper", "Handling concurrent executions with the same payload",
 *   "Lambda timeouts".
 * Used: `makeIdempotent` around a handler with a context, whose remaining time is the rest of the
 *   lease; `CachePersistenceLayer` on node-redis 6, `eventKeyJmesPath` for the key,
 *   `expiresAfterSeconds` 3600, no local cache, no payload validation.
 * Left:
 * - crash, beyond: a record in progress whose deadline has passed is run again, as documented
 *   ("Lambda timeouts"); whether the first run performed its effect before it died is not checked.
 * - pause, beyond: Lambda ends a function at its time-out, and nothing does so here: the paused
 *   function continues after the deadline in its record ("Lambda timeouts").
 * - consumer clock, beyond: the deadline is a time by one environment's clock, and is judged by
 *   another's ("Lambda timeouts"), which assumes that the clocks agree.
 * - loss, beyond: the store keeps a record until it expires ("Expiring idempotency records"), and
 *   this one did not.
 * - expiry, beyond: a record expires after an hour by default, and then the function runs as normal
 *   ("Expiring idempotency records").
 */
import { defineImplementation } from '../../src/contract/api/implementation.ts'
import { powertools } from './parts/powertools.ts'

export default defineImplementation({
  id: 'powertools-context',
  about: "A Lambda handler that powertools' makeIdempotent wraps, whose timeout is the lease, its records in Redis.",
  shapes: ['single'],
  create: (context) =>
    powertools(context, () => {
      const endsAt = Date.now() + context.leaseMs
      return { getRemainingTimeInMillis: () => endsAt - Date.now() }
    }),
})
