import { defineImplementation } from '../../src/contract/implementation.ts'
import { bullmq } from './parts/bullmq.ts'

export default defineImplementation({
  id: 'bullmq-deduplication',
  about: 'BullMQ with the key as the deduplication id of the job, for as long as the retention.',
  recoveryBoundMs: 120_000,
  create: (context) => bullmq(context, (key) => ({ deduplication: { id: key, ttl: context.retentionMs } })),
})
