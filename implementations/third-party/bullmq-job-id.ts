import { defineImplementation } from '../../src/contract/implementation.ts'
import { bullmq } from './parts/bullmq.ts'

export default defineImplementation({
  id: 'bullmq-job-id',
  about: 'BullMQ with the key as the id of the job, which is kept for ever.',
  recoveryBoundMs: 120_000,
  // A custom id has no colon, and is no whole number.
  create: (context) => bullmq(context, (key) => ({ jobId: `key-${key.replaceAll(':', '%3A')}` })),
})
