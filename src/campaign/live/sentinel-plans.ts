/** Live plans of the scenarios with Sentinels. */
import type { PlannedFault } from '../../contract/api/plan.ts'
import { at, failoverPlan, healAfterMs, lostAtMs } from './failover-orders.ts'

/** One message arrives before the loss, and two while there is no primary. */
const publishedMs = [0, lostAtMs + 150, lostAtMs + 250]

export const sentinelPlans = {
  'redis-failover': [
    {
      plan: failoverPlan(publishedMs, [{ kind: 'redis-restart', when: at(lostAtMs), healAfterMs }]),
      goals: ['a-server-was-promoted'],
    },
  ],
  'split-brain': [
    {
      plan: failoverPlan(publishedMs, [
        { kind: 'machine-cut-off', when: at(lostAtMs), who: 'primary', which: 0, from: 'machines', healAfterMs },
        // The connections of consumers break, so that the consumers find the new primary.
        ...[0, 1, 2].map((consumer): PlannedFault => ({ kind: 'connection-reset', when: at(3_500), consumer })),
      ]),
      goals: ['a-server-was-promoted', 'two-primaries-served-at-once'],
    },
  ],
}
