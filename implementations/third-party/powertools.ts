/**
 * Library: @aws-lambda-powertools/idempotency
 * Promises: a function runs once for a key within a time window, later calls get the same result,
 *   and calls at the same time get an error.
 * Said in: its documentation (Powertools for AWS Lambda, TypeScript, Idempotency): "Key features",
 *   "MakeIdempotent function wrapper", "Handling concurrent executions with the same payload",
 *   "Lambda timeouts".
 * Used: `makeIdempotent` around an arbitrary function, `CachePersistenceLayer` on node-redis 6,
 *   `eventKeyJmesPath` for the key, `expiresAfterSeconds` 3600, no local cache, no payload
 *   validation. No context is registered, which it only warns of.
 * Left:
 * - copies, promised: a second call during the first gets an error ("Handling concurrent executions
 *   with the same payload"). Without a context the record has no deadline, and the cache layer
 *   takes every such record for an orphan; the documentation asks for the context against time-outs
 *   only ("Lambda timeouts").
 * - crash, beyond: without a context there is no protection from functions that end halfway
 *   ("Lambda timeouts").
 * - pause, beyond: without a context there is no protection from functions that outlast their
 *   time-out ("Lambda timeouts").
 * - consumer clock, promised: as for copies: a second call during the first one runs.
 * - Redis clock, promised: as for copies: a second call during the first one runs.
 * - loss, promised: as for copies: a rebalance is enough, without any loss.
 * - expiry, beyond: a record expires after an hour by default, and then the function runs as normal
 *   ("Expiring idempotency records").
 */
import { defineImplementation } from '../../src/contract/api/implementation.ts'
import { powertools } from './parts/powertools.ts'

export default defineImplementation({
  id: 'powertools',
  about: "A function that powertools' makeIdempotent wraps, without a Lambda context, its records in Redis.",
  shapes: ['single'],
  create: (context) => powertools(context),
})
