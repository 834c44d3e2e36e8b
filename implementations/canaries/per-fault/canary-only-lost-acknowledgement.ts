import { repeating } from '../parts/deliveries.ts'
import { perFaultCanary } from '../parts/per-fault.ts'

export default perFaultCanary(
  {
    id: 'canary-only-lost-acknowledgement',
    about: 'Performs again if a message comes back late after done.',
    kind: 'lost-acknowledgement',
    scenarios: ['crash-mid-logic'],
  },
  (around) => ({
    // Copies are made while the workload is under way: none comes so late, but to who was busy.
    handle: repeating(around, ({ sinceLatestMs, idleMs }) => sinceLatestMs > 950 && idleMs > 950),
  }),
)
