import { repeating } from '../parts/deliveries.ts'
import { perFaultCanary } from '../parts/per-fault.ts'

export default perFaultCanary(
  {
    id: 'canary-only-duplicate-delivery',
    about: 'Performs again if a message comes back at once after done.',
    kind: 'duplicate-delivery',
    scenarios: ['lost-reply'],
  },
  (around) => ({
    // In that scenario, visibility timeouts are longer, and nothing delays deliveries.
    handle: repeating(around, ({ sinceFirstMs }) => sinceFirstMs < 900),
  }),
)
