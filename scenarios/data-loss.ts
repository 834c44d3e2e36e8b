import fc from 'fast-check'
import { defineScenario } from '../src/contract/api/scenario.ts'
import { crashAtNewPoint } from '../src/run/faults/crash.ts'
import { atFirst, drawAtFirst } from '../src/sim/plans/aim.ts'
import { atMs, copyAtMs } from '../src/sim/plans/at-time.ts'
import { sentinelRedis } from '../src/sim/plans/redis-plan.ts'
import { clockWithinSkew, producedAtWithinSkew, withinSkewText } from '../src/sim/plans/skew.ts'
import { drawFault, lasting, plansOf } from '../src/sim/plans/workload.ts'

/**
 * The holder has waited for a while when the primary dies and restarts with its data of a second
 * ago. In these data the key is held, but no attempt has begun. The holder dies as well.
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

/**
 * Crashes in some plans. They are needed because only in this scenario can a process die while it
 * waits for replicas or notices a loss.
 */
const someCrashes = fc.array(crashAtNewPoint(), { maxLength: 2, size: 'max' })

/** A replica restarts as a new process while the consumers start. The restart loses no data. */
const followerRestarts = plansOf({
  redis: sentinelRedis({ downAfterMs: fc.integer({ min: 1000, max: 5000 }), loadingMs: fc.constant(0) }),
  always: () =>
    fc
      .tuple(
        fc.record({ ms: fc.integer({ min: 50, max: 900 }), awayMs: fc.integer({ min: 1, max: 900 }) }),
        someCrashes,
      )
      .map(([{ ms, awayMs }, crashes]) => [
        { kind: 'machine-restart', who: 'replica', which: 0, ...atMs(ms), healAfterMs: awayMs },
        ...crashes,
      ]),
  faults: ['crash', 'duplicate-delivery', 'redelivery'],
  maxFaults: 2,
  keys: 2,
})

/**
 * A message is done when the primary dies. The primary restarts empty before a Sentinel notices.
 * Copies arrive later.
 */
const doneAndLost = plansOf({
  redis: sentinelRedis({ downAfterMs: fc.integer({ min: 1000, max: 5000 }), keeps: fc.constant('nothing') }),
  always: () =>
    fc
      .tuple(
        fc.record({
          at: fc.constantFrom('answered' as const, 'acknowledged' as const),
          awayMs: fc.integer({ min: 1, max: 900 }),
          copiesMs: fc.array(fc.integer({ min: 1000, max: 6000 }), { minLength: 2, maxLength: 3, size: 'max' }),
        }),
        someCrashes,
      )
      .map(([{ at, awayMs, copiesMs }, crashes]) => [
        { kind: 'redis-restart', ...atFirst(at), healAfterMs: awayMs },
        ...copiesMs.map((ms) => copyAtMs(ms)),
        ...crashes,
      ]),
  producedAtOffMs: producedAtWithinSkew,
  faults: ['crash', 'duplicate-delivery', 'redelivery'],
  maxFaults: 2,
  keys: 2,
  messages: 2,
})

export default defineScenario({
  id: 'data-loss',
  dependsOnSink: true,
  story:
    'Servers die and restart with the data on their disks: nothing, the last snapshot, or the append-only file without its last second. ' +
    'A primary that restarts empty before it is missed empties its replicas.',
  shape: 'sentinel',
  assumptions: [
    'every replica that can be promoted is known',
    'all copies of a message carry the same payload',
    withinSkewText,
  ],
  goals: ['an-empty-primary-wiped-its-replicas', 'a-copy-came-after-its-record-was-lost'],
  recoveryCapMs: 60_000,
  runMs: 24,
  // `canary-old-records-count` takes up to 24 runs.
  minimumRuns: 32,
  plans: plansOf({
    redis: sentinelRedis({ downAfterMs: fc.integer({ min: 1000, max: 5000 }) }),
    always: (scope) =>
      fc
        .tuple(
          // After an effect, the loss removes the record of its begin, while an older version of
          // the record still exists.
          fc.oneof(drawFault('redis-restart')(scope), drawAtFirst('redis-restart', 'effect-applied')(scope)),
          fc.integer({ min: 1, max: 900 }),
          someCrashes,
          clockWithinSkew,
        )
        .map(([fault, healAfterMs, crashes, clock]) => [lasting(fault, healAfterMs), ...crashes, ...clock]),
    producedAtOffMs: producedAtWithinSkew,
    faults: ['redis-restart', 'machine-restart', 'crash', 'duplicate-delivery', 'redelivery'],
    keys: 2,
  }),
  aimed: {
    every: 2,
    draws: [
      { goals: [], plans: followerRestarts },
      { goals: ['a-copy-came-after-its-record-was-lost'], plans: olderWord },
      { goals: ['a-copy-came-after-its-record-was-lost', 'an-empty-primary-wiped-its-replicas'], plans: doneAndLost },
      { goals: ['a-copy-came-after-its-record-was-lost'], plans: olderWord },
    ],
  },
})
