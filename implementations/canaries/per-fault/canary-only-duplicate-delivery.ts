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
    // Visibility timeouts are longer there, and nothing delays deliveries.
    handle: repeating(around, ({ sinceFirstMs }) => sinceFirstMs < 900),
  }),
)
