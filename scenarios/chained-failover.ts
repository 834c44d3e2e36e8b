import fc from 'fast-check'
import { defineScenario } from '../src/contract/api/scenario.ts'
import { atMs, copyAtMs } from '../src/sim/plans/at-time.ts'
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

/**
 * When the first primary dies, its only replica lacks some acknowledged writes. Sentinels promote
 * the replica. When the first primary is back, Sentinels make it a replica, which takes 10 s. Then
 * the new primary dies. Copies of messages arrive after both deaths.
 */
const thereAndBack = fc
  .tuple(
    plansOf({
      ...workload,
      redis: sentinelRedis({
        replicas: fc.constant(1),
        downAfterMs: fc.integer({ min: 200, max: 500 }),
        failoverTimeoutMs: fc.constant(1000),
        fullSyncMs: fc.nat({ max: 500 }),
        loadingMs: fc.nat({ max: 200 }),
      }),
      always: () => fc.constant([]),
      maxFaults: 2,
      spanMs: 400,
    }),
    fc.record({
      cutMs: fc.nat({ max: 300 }),
      lagMs: fc.integer({ min: 50, max: 800 }),
      awayMs: fc.integer({ min: 1500, max: 2500 }),
      laterMs: fc.integer({ min: 10_500, max: 12_000 }),
      copiesMs: fc.array(fc.integer({ min: 3000, max: 8000 }), { minLength: 2, maxLength: 2, size: 'max' }),
    }),
  )
  .map(([plan, { cutMs, lagMs, awayMs, laterMs, copiesMs }]) => {
    const firstMs = cutMs + lagMs
    const secondMs = firstMs + awayMs + laterMs
    const cut = { who: 'primary', which: 0, from: 'servers', withReplica: false, healAfterMs: lagMs + awayMs }
    return {
      ...plan,
      faults: [
        { kind: 'machine-cut-off', ...atMs(cutMs), ...cut },
        { kind: 'redis-restart', ...atMs(firstMs), healAfterMs: awayMs },
        { kind: 'redis-restart', ...atMs(secondMs), healAfterMs: 4000 },
        ...copiesMs.flatMap((ms) => [copyAtMs(firstMs + ms), copyAtMs(secondMs + ms)]),
        ...plan.faults,
      ],
    }
  })

export default defineScenario({
  id: 'chained-failover',
  story:
    'One primary dies after the other: a replica that was just promoted is replaced too, perhaps by its predecessor. ' +
    'Data is lost more than once, and old records come back.',
  shape: 'sentinel',
  assumptions: ['every replica that can be promoted is known', 'all copies of a message carry the same payload'],
  goals: ['two-failovers-in-a-row', 'a-primary-was-primary-again'],
  recoveryCapMs: 60_000,
  runMs: 31,
  // `000-set-nx-marker` takes up to 16 runs.
  minimumRuns: 22,
  plans: plansOf(workload),
  aimed: {
    every: 2,
    draws: [{ goals: ['two-failovers-in-a-row', 'a-primary-was-primary-again'], plans: thereAndBack }],
  },
})
