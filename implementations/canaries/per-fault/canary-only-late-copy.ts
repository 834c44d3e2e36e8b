import { repeating } from '../parts/deliveries.ts'
import { perFaultCanary } from '../parts/per-fault.ts'

export default perFaultCanary(
  {
    id: 'canary-only-late-copy',
    about: 'It comes from so long ago that it must be another order: do it again.',
    kind: 'late-copy',
    scenarios: ['stale-message'],
  },
  (around) => ({
    // Longer than the longest visibility timeout.
    handle: repeating(around, ({ idleMs }) => idleMs > 31_000),
  }),
)
