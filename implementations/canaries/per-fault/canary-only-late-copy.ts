import { repeating } from '../parts/deliveries.ts'
import { perFaultCanary } from '../parts/per-fault.ts'

export default perFaultCanary(
  {
    id: 'canary-only-late-copy',
    about: 'Performs again if a message is very old.',
    kind: 'late-copy',
    scenarios: ['stale-message'],
  },
  (around) => ({
    // Longer than the longest visibility timeout.
    handle: repeating(around, ({ idleMs }) => idleMs > 31_000),
  }),
)
