import fc from 'fast-check'
import { defineScenario } from '../src/contract/scenario.ts'
import { sentinelRedis } from '../src/sim/plans/redis-plan.ts'
import { drawFault, plansOf } from '../src/sim/plans/workload.ts'

export default defineScenario({
  id: 'chained-failover',
  story:
    'One primary dies after the other: a replica that was promoted a moment ago is replaced in its turn, perhaps by the one it came after. ' +
    'Data are lost more than once, and old records come back.',
  shape: 'sentinel',
  assumptions: ['every replica that can be promoted is known', 'every copy of a message carries the same payload'],
  invariants: [
    'at-most-once',
    'no-lost-message',
    'no-needless-park',
    'no-false-done',
    'same-result',
    'payload-bound',
    'bounded-stall',
    'no-immortal-keys',
  ],
  goals: ['two-failovers-in-a-row', 'a-primary-was-primary-again'],
  recoveryCapMs: 60_000,
  runMs: 97,
  plans: plansOf({
    redis: sentinelRedis({ downAfterMs: fc.integer({ min: 200, max: 500 }), failoverTimeoutMs: fc.constant(1000) }),
    always: (scope) =>
      drawFault('redis-restart')(scope).map((fault) => ({
        ...fault,
        when: { at: 'time', ms: 100 },
        healAfterMs: 4000,
      })),
    faults: [
      'redis-restart',
      'slow-redis',
      'machine-cut-off',
      'machine-restart',
      'crash',
      'redelivery',
      'duplicate-delivery',
    ],
    keys: 2,
    maxFaults: 5,
    spanMs: 6000,
  }),
})
