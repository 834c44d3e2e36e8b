import fc from 'fast-check'
import { defineScenario } from '../src/contract/api/scenario.ts'
import { sentinelRedis } from '../src/sim/plans/redis-plan.ts'
import { drawFault, plansOf, type Workload } from '../src/sim/plans/workload.ts'

const workload: Workload = {
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
}

/** The only other server dies when the first primary is back, and Sentinels have made it its replica: that takes them 10 s. */
const thereAndBack = plansOf({
  ...workload,
  redis: sentinelRedis({
    replicas: fc.constant(1),
    downAfterMs: fc.integer({ min: 200, max: 500 }),
    failoverTimeoutMs: fc.constant(1000),
    fullSyncMs: fc.nat({ max: 500 }),
    loadingMs: fc.nat({ max: 200 }),
  }),
  always: () =>
    fc
      .record({ awayMs: fc.integer({ min: 1500, max: 2500 }), laterMs: fc.integer({ min: 10_500, max: 12_000 }) })
      .map(({ awayMs, laterMs }) => [
        { kind: 'redis-restart', when: { at: 'time', ms: 100 }, healAfterMs: awayMs },
        { kind: 'redis-restart', when: { at: 'time', ms: 100 + awayMs + laterMs }, healAfterMs: 4000 },
      ]),
  maxFaults: 2,
})

export default defineScenario({
  id: 'chained-failover',
  story:
    'One primary dies after the other: a replica that was promoted a moment ago is replaced in its turn, perhaps by the one it came after. ' +
    'Data are lost more than once, and old records come back.',
  shape: 'sentinel',
  assumptions: ['every replica that can be promoted is known', 'every copy of a message carries the same payload'],
  goals: ['two-failovers-in-a-row', 'a-primary-was-primary-again'],
  recoveryCapMs: 60_000,
  runMs: 31,
  // `000-decorator` takes up to 21 runs.
  minimumRuns: 50,
  plans: plansOf(workload),
  aimed: {
    every: 4,
    draws: [{ goals: ['two-failovers-in-a-row', 'a-primary-was-primary-again'], plans: thereAndBack }],
  },
})
