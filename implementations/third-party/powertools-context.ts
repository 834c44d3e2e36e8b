import { defineImplementation } from '../../src/contract/implementation.ts'
import { powertools } from './parts/powertools.ts'

export default defineImplementation({
  id: 'powertools-context',
  about: "A Lambda handler that powertools' makeIdempotent wraps, whose time-out is the lease, its records in Redis.",
  shapes: ['single'],
  create: (context) =>
    powertools(context, () => {
      const endsAt = Date.now() + context.leaseMs
      return { getRemainingTimeInMillis: () => endsAt - Date.now() }
    }),
})
