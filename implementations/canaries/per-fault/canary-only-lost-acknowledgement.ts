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
    // Copies are made during the workload, so only a busy consumer gets one this late.
    handle: repeating(around, ({ sinceLatestMs, idleMs }) => sinceLatestMs > 950 && idleMs > 950),
  }),
)
