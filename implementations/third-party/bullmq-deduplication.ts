/**
 * Library: bullmq
 * Promises: while a deduplication id lives, a job with that id is not added again; a job whose
 *   worker is lost is run again.
 * Said in: its documentation: "Deduplication", "Stalled", "Auto-removal of jobs", "Idempotent
 *   jobs".
 * Used: throttle mode with the retention as `ttl`; a queue, a worker in each process, and
 *   `waitUntilFinished` for 5 s at a time; `lockDuration` and `stalledInterval` 30 s,
 *   `maxStalledCount` 1, `attempts` 1, jobs are not removed. The connection has
 *   `maxRetriesPerRequest` null, as workers require. A job that failed is dead-lettered.
 * Left:
 * - crash, beyond: a job whose worker is gone waits again (documentation, "Stalled"), and must be
 *   safe to retry (documentation, "Idempotent jobs").
 * - pause, beyond: a paused worker cannot keep its job's lock, and another worker runs the job
 *   (documentation, "Stalled").
 * - Redis clock, beyond: a jump of Redis's clock ends a lock early, and its job counts as stalled
 *   (documentation, "Stalled").
 * - failover, beyond: the promoted replica does not know the deduplication id, which lives in Redis
 *   (documentation, "Deduplication").
 * - loss, beyond: Redis no longer knows the deduplication id (documentation, "Deduplication").
 * - expiry, beyond: the deduplication id lives for its `ttl` (documentation, "Deduplication",
 *   throttle mode).
 */
import { defineImplementation } from '../../src/contract/api/implementation.ts'
import { bullmq } from './parts/bullmq.ts'

export default defineImplementation({
  id: 'bullmq-deduplication',
  about: 'BullMQ with the key as the deduplication id of the job, for as long as the retention.',
  recoveryBoundMs: 120_000,
  create: (context) => bullmq(context, (key) => ({ deduplication: { id: key, ttl: context.retentionMs } })),
})
