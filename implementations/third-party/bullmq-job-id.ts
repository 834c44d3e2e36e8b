/**
 * Library: bullmq
 * Promises: a job with an id that its queue already has is not added again; a job whose worker is
 *   lost is run again.
 * Said in: its documentation: "Job Ids", "Stalled", "Auto-removal of jobs", "Idempotent jobs".
 * Used: a queue, a worker in each process, and `waitUntilFinished` for 5 s at a time;
 *   `lockDuration` and `stalledInterval` 30 s, `maxStalledCount` 1, `attempts` 1, jobs are not
 *   removed. The connection has `maxRetriesPerRequest` null, as workers require. A job that failed
 *   is dead-lettered.
 * Left:
 * - crash, beyond: a job whose worker is gone waits again (documentation, "Stalled"), and must be
 *   safe to retry (documentation, "Idempotent jobs").
 * - pause, beyond: a paused worker cannot keep its job's lock, and another worker runs the job
 *   (documentation, "Stalled").
 * - Redis clock, beyond: a jump of Redis's clock ends a lock early, and its job counts as stalled
 *   (documentation, "Stalled").
 * - failover, beyond: a job that is no longer in the queue does not make a duplicate
 *   (documentation, "Job Ids"), and the promoted replica did not have it.
 * - loss, beyond: a job that is no longer in the queue does not make a duplicate (documentation,
 *   "Job Ids").
 * - keys, beyond: by default finished jobs are kept; their ids are forgotten when they are removed
 *   (documentation, "Auto-removal of jobs").
 */
import { defineImplementation } from '../../src/contract/api/implementation.ts'
import { bullmq } from './parts/bullmq.ts'

export default defineImplementation({
  id: 'bullmq-job-id',
  about: 'BullMQ with the key as the id of the job, which is kept forever.',
  recoveryBoundMs: 120_000,
  // A custom id must not have a colon, and must not be a whole number.
  create: (context) => bullmq(context, (key) => ({ jobId: `key-${key.replaceAll(':', '%3A')}` })),
})
