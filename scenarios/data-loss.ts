import fc from 'fast-check'
import { defineScenario } from '../src/contract/api/scenario.ts'
import { crashAtNewPoint } from '../src/run/faults/crash.ts'
import { atFirst, drawAtFirst } from '../src/sim/plans/aim.ts'
import { sentinelRedis } from '../src/sim/plans/redis-plan.ts'
import { clockWithinSkew, producedAtWithinSkew, withinSkewText } from '../src/sim/plans/skew.ts'
import { drawFault, lasting, plansOf } from '../src/sim/plans/workload.ts'

/**
 * The holder has waited for a while, when the primary dies and comes back with what its disk had a second ago: that somebody has
 * the key, but not that he began. He dies, too.
 */
const olderWord = plansOf({
  redis: sentinelRedis({
    downAfterMs: fc.integer({ min: 2000, max: 5000 }),
    keeps: fc.constantFrom('aof-everysec', 'snapshot'),
  }),
  always: () =>
    fc
      .record({
        awayMs: fc.integer({ min: 1, max: 900 }),
        goneMs: fc.integer({ min: 50, max: 3000 }),
        dies: fc.constantFrom('effect-applied' as const, 'effect-answered' as const),
      })
      .map(({ awayMs, goneMs, dies }) => [
        { kind: 'redis-restart', ...atFirst('effect-applied'), healAfterMs: awayMs },
        { kind: 'crash', ...atFirst(dies), healAfterMs: goneMs },
      ]),
  faults: ['duplicate-delivery', 'redelivery'],
  maxFaults: 2,
  keys: 2,
  messages: 2,
  leaseMs: fc.integer({ min: 2000, max: 4000 }),
  visibilityMs: fc.integer({ min: 2000, max: 10_000 }),
})

export default defineScenario({
  id: 'data-loss',
  dependsOnSink: true,
  story:
    'Servers die and come back with what their disks have kept: nothing, the last snapshot, the append-only file but for its last second. ' +
    'A primary that is back before anybody missed it hands its emptiness to its replicas.',
  shape: 'sentinel',
  assumptions: [
    'every replica that can be promoted is known',
    'every copy of a message carries the same payload',
    withinSkewText,
  ],
  goals: ['an-empty-primary-wiped-its-replicas', 'a-copy-came-after-its-record-was-lost'],
  recoveryCapMs: 60_000,
  runMs: 24,
  // `canary-only-machine-restart` takes up to 125 runs.
  minimumRuns: 130,
  plans: plansOf({
    redis: sentinelRedis({ downAfterMs: fc.integer({ min: 1000, max: 5000 }) }),
    always: (scope) =>
      fc
        .tuple(
          // Behind an effect, what is lost is that it was begun, while an older word of the same record is still there.
          fc.oneof(drawFault('redis-restart')(scope), drawAtFirst('redis-restart', 'effect-applied')(scope)),
          fc.integer({ min: 1, max: 900 }),
          // Waiting for replicas and noticing a loss are where only these runs can die.
          fc.array(crashAtNewPoint(), { maxLength: 2, size: 'max' }),
          clockWithinSkew,
        )
        .map(([fault, healAfterMs, crashes, clock]) => [lasting(fault, healAfterMs), ...crashes, ...clock]),
    producedAtOffMs: producedAtWithinSkew,
    faults: ['redis-restart', 'machine-restart', 'crash', 'duplicate-delivery', 'redelivery'],
    keys: 2,
  }),
  aimed: { every: 6, draws: [{ goals: ['a-copy-came-after-its-record-was-lost'], plans: olderWord }] },
})
