import fc from 'fast-check'
import { commandBoundaries, type PlannedFault, type RedisPlan } from '../src/contract/api/plan.ts'
import { defineScenario } from '../src/contract/api/scenario.ts'
import { oneIn } from '../src/run/seldom.ts'
import { atNew } from '../src/sim/plans/aim.ts'
import { copyAtMs } from '../src/sim/plans/at-time.ts'
import { copiesOf, plainOrder } from '../src/sim/plans/orders.ts'
import { sentinelRedis, someWithReserve } from '../src/sim/plans/redis-plan.ts'
import { drawFault, lasting, plansOf } from '../src/sim/plans/workload.ts'

const cutOff = (atMs: number, healAfterMs: number, withReplica: boolean, which = 0): PlannedFault => ({
  kind: 'machine-cut-off',
  when: { at: 'time', ms: atMs },
  who: 'primary',
  which,
  from: 'machines',
  withReplica,
  healAfterMs,
})

/** The primary is cut off in any way, among other faults. */
const cut = plansOf({
  redis: someWithReserve(sentinelRedis()),
  always: (scope) =>
    fc
      .tuple(drawFault('machine-cut-off')(scope), fc.integer({ min: 2000, max: 12_000 }))
      .map(([fault, healAfterMs]) => ({ ...lasting(fault, healAfterMs), who: 'primary', from: 'machines' })),
  faults: ['machine-cut-off', 'machine-restart', 'partition', 'crash', 'pause', 'redelivery', 'duplicate-delivery'],
  keys: 2,
  spanMs: 3000,
})

/**
 * In half of the plans, a process dies near the commands that undo a begin which no replica has
 * acknowledged. Other scenarios rarely have such a crash.
 */
const diesGivingBack = oneIn(
  2,
  fc
    .record({ at: fc.constantFrom(...commandBoundaries), nth: fc.integer({ min: 5, max: 7 }) })
    .map(({ at, nth }): PlannedFault => ({ kind: 'crash', ...atNew(at, nth), healAfterMs: 500 })),
).map((crash) => (crash === undefined ? [] : [crash]))

interface Apart {
  readonly replicas: fc.Arbitrary<number>
  readonly withReplica: fc.Arbitrary<boolean>
  /** The consumers that lose their connections and move to the new primary. */
  readonly moved: fc.Arbitrary<number[]>
}

/**
 * An early and long cut. Some consumers lose their connections and move to the new primary, and
 * other consumers stay with the old one. Messages produced long after the promotion reach both
 * groups.
 */
const apart = ({ replicas, withReplica, moved }: Apart) =>
  fc
    .tuple(
      plansOf({
        redis: sentinelRedis({ replicas, fullSyncMs: fc.constant(0), downAfterMs: fc.integer({ min: 200, max: 600 }) }),
        consumers: 3,
        faults: ['pause', 'redelivery', 'slow-effect'],
        maxFaults: 2,
        keys: 12,
        messages: 12,
        spanMs: 8000,
      }),
      fc.record({
        cutMs: fc.integer({ min: 300, max: 800 }),
        healAfterMs: fc.integer({ min: 9000, max: 14_000 }),
        withReplica,
        moved,
        movedMs: fc.integer({ min: 2500, max: 3500 }),
      }),
      fc.array(fc.record({ ms: fc.integer({ min: 5000, max: 8500 }), message: fc.nat({ max: 15 }) }), {
        minLength: 2,
        maxLength: 6,
      }),
      diesGivingBack,
    )
    .map(([plan, { cutMs, healAfterMs, withReplica, moved, movedMs }, copies, crashes]) => ({
      ...plan,
      faults: [
        cutOff(cutMs, healAfterMs, withReplica),
        ...moved.map((consumer) => {
          return { kind: 'connection-reset', when: { at: 'time' as const, ms: movedMs }, consumer }
        }),
        ...copies.map(({ ms, message }) => copyAtMs(ms, message)),
        ...crashes,
        ...plan.faults,
      ],
    }))

/** Sentinels make a replaced primary a replica some ten seconds after it is reachable again. */
const demotedAfterMs = 12_000

/**
 * Messages for all consumers before the cut, one message after another server was promoted, and
 * more messages after a gap.
 */
const early = [0, 50, 100, 150, 200, 250]
const soonAfter = [4000]
const late = [5600, 6300, 6900, 7400]
const orders = [...early, ...soonAfter, ...late].map((publishAtMs, at) => plainOrder(at + 1, publishAtMs))

/**
 * The consumer that stays with the old primary has a connection from before the cut. The connection
 * is not used again until the messages that reach both sides. After the cut, the old primary
 * becomes a replica and loses its writes, and copies arrive.
 */
const quietMeanwhile = (redis: fc.Arbitrary<RedisPlan>, stayingReplica: fc.Arbitrary<number | null>) =>
  fc
    .tuple(
      plansOf({
        redis,
        consumers: 3,
        faults: ['redelivery', 'slow-effect'],
        maxFaults: 1,
        effectMs: fc.integer({ min: 1, max: 100 }),
        pace: fc.constant({}),
      }),
      fc.record({
        cutMs: fc.integer({ min: 700, max: 1000 }),
        healAfterMs: fc.integer({ min: 7500, max: 9500 }),
        stayingReplica,
        stays: fc.nat({ max: 2 }),
        movedMs: fc.integer({ min: 2700, max: 3700 }),
        afterMs: fc.array(
          fc.record({ soon: fc.integer({ min: 1, max: 300 }), late: fc.integer({ min: 1, max: 8000 }) }),
          {
            minLength: late.length,
            maxLength: late.length,
            size: 'max',
          },
        ),
      }),
    )
    .map(([plan, { cutMs, healAfterMs, stayingReplica, stays, movedMs, afterMs }]) => ({
      ...plan,
      messages: orders,
      faults: [
        cutOff(cutMs, healAfterMs, stayingReplica !== null, stayingReplica ?? 0),
        ...[0, 1, 2]
          .filter((consumer) => consumer !== stays)
          .map((consumer) => ({ kind: 'connection-reset', when: { at: 'time' as const, ms: movedMs }, consumer })),
        ...copiesOf(
          orders,
          afterMs.flatMap((after, nth) =>
            [late[nth]! + after.soon, cutMs + healAfterMs + demotedAfterMs + after.late].map((atMs) => {
              return { of: early.length + soonAfter.length + nth, atMs }
            }),
          ),
        ),
        ...plan.faults,
      ],
    }))

const oneMoves = fc.nat({ max: 2 }).map((moved) => [moved])
const oneStays = fc.nat({ max: 2 }).map((stays) => [0, 1, 2].filter((moved) => moved !== stays))

/** A lost primary is replaced quickly by a server that has all of the primary's data. */
const soon = sentinelRedis({ fullSyncMs: fc.constant(0), downAfterMs: fc.integer({ min: 200, max: 600 }) })

const passedOver = 'a-replica-that-may-not-be-promoted-was-passed-over'
const served = ['a-server-was-promoted', 'two-primaries-served-at-once']

export default defineScenario({
  id: 'split-brain',
  story:
    'The primary is cut off from its replicas and from the Sentinels, and goes on serving the consumers that stay with it while another is promoted. ' +
    'Its writes since then are discarded when it comes back.',
  shape: 'sentinel',
  assumptions: ['every replica that can be promoted is known', 'all copies of a message carry the same payload'],
  goals: ['a-server-was-promoted', 'two-primaries-served-at-once', 'a-replaced-primary-came-back', passedOver],
  recoveryCapMs: 60_000,
  runMs: 42,
  // `canary-wait-elsewhere` takes up to 20 runs.
  minimumRuns: 26,
  plans: fc.oneof(cut, apart({ replicas: fc.integer({ min: 1, max: 2 }), withReplica: fc.boolean(), moved: oneMoves })),
  aimed: {
    every: 2,
    draws: [
      { goals: served, plans: quietMeanwhile(soon, fc.constantFrom(null, 0, 1)) },
      {
        goals: [...served, passedOver],
        // The replica that stays with the primary acknowledges everything, but cannot be promoted,
        // so its data are lost.
        plans: quietMeanwhile(
          soon.map((redis) => ({ ...redis, replicas: 2, neverPromoted: 1 })),
          fc.constant(1),
        ),
      },
      { goals: served, plans: quietMeanwhile(soon, fc.constantFrom(null, 0, 1)) },
      {
        goals: served,
        plans: fc.oneof(
          apart({ replicas: fc.constant(2), withReplica: fc.constant(true), moved: oneStays }),
          apart({ replicas: fc.constant(1), withReplica: fc.constant(false), moved: oneStays }),
        ),
      },
    ],
  },
})
