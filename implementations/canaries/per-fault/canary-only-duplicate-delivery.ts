import { repeating } from '../parts/deliveries.ts'
import { perFaultCanary } from '../parts/per-fault.ts'

export default perFaultCanary(
  {
    id: 'canary-only-duplicate-delivery',
    about: 'It comes back at once, though this process answered done: the answer was rolled back, so do it again.',
    kind: 'duplicate-delivery',
    scenarios: ['lost-reply'],
  },
  (around) => ({
    // Visibility timeouts are longer there, and nothing delays deliveries.
    handle: repeating(around, ({ sinceFirstMs }) => sinceFirstMs < 900),
  }),
)
