import fc from 'fast-check'
import type { RedisPlan } from '../src/contract/api/plan.ts'
import { defineScenario } from '../src/contract/api/scenario.ts'
import { atMs } from '../src/sim/plans/at-time.ts'
import { copiesOf, plainOrder } from '../src/sim/plans/orders.ts'
import { sentinelRedis } from '../src/sim/plans/redis-plan.ts'
import { drawFault, plansOf } from '../src/sim/plans/workload.ts'

const oneMore = (redis: fc.Arbitrary<RedisPlan>) => redis.map((plan) => ({ ...plan, spares: 1 }))

/** The replica is added at any time, among other faults. */
const attached = plansOf({
  redis: oneMore(sentinelRedis()),
  always: drawFault('machine-added'),
  faults: ['machine-added', 'crash', 'pause', 'lost-reply', 'redelivery', 'duplicate-delivery'],
  maxFaults: 3,
  keys: 2,
  spanMs: 2000,
})

/**
 * The extra replica is added near the first message, and remains during many attempts at each
 * message.
 */
const longThere = plansOf({
  redis: oneMore(sentinelRedis()),
  always: () =>
    fc
      .record({ ms: fc.nat({ max: 200 }), healAfterMs: fc.integer({ min: 8000, max: 15_000 }) })
      .map(({ ms, healAfterMs }) => ({ kind: 'machine-added', ...atMs(ms), healAfterMs })),
  faults: ['crash', 'pause', 'lost-reply', 'redelivery', 'duplicate-delivery'],
  maxFaults: 1,
  keys: 2,
})

/**
 * When the Sentinels query the primary for its replicas: every ten seconds, starting three seconds
 * before the plan's time 0.
 */
const askedAgainMs = 7000

interface Course {
  /** When the extra replica is added. */
  readonly addedMs: fc.Arbitrary<number>
  /** The time at which the first messages arrive, before the cut. */
  readonly earlyMs: number
  /** When the primary and the extra replica are cut off together. */
  readonly cutMs: fc.Arbitrary<number>
  /** The time from the cut to the messages that only one side should perform, in milliseconds. */
  readonly lateAfterMs: number
}

/**
 * The primary and the uncounted replica are cut off from all machines, and still serve one of the
 * consumers. That consumer's writes get the right number of acknowledgements, but from the wrong
 * replica. The other consumers move to the counted replica, which is promoted. Messages produced
 * long after the promotion reach both sides. After the cut, the extra replica is removed, the old
 * primary becomes a replica and loses its writes, and copies arrive.
 */
const wrongOneAcknowledges = ({ addedMs, earlyMs, cutMs, lateAfterMs }: Course) =>
  fc
    .tuple(
      plansOf({
        redis: oneMore(
          sentinelRedis({
            replicas: fc.constant(1),
            fullSyncMs: fc.constant(0),
            downAfterMs: fc.integer({ min: 200, max: 600 }),
          }),
        ),
        consumers: 3,
        faults: ['redelivery', 'slow-effect'],
        maxFaults: 1,
        effectMs: fc.integer({ min: 1, max: 100 }),
        pace: fc.constant({}),
      }),
      fc.record({
        addedMs,
        cutMs,
        healedAfterMs: fc.integer({ min: 500, max: 1500 }),
        stays: fc.nat({ max: 2 }),
        copiesAfterMs: fc.array(fc.integer({ min: 1, max: 8000 }), { minLength: 6, maxLength: 6, size: 'max' }),
      }),
    )
    .map(([plan, { addedMs, cutMs, healedAfterMs, stays, copiesAfterMs }]) => {
      const movedMs = cutMs + 4000
      const lateMs = cutMs + lateAfterMs
      const comeMs = [
        ...[0, 150, 300].map((ms) => earlyMs + ms),
        ...[0, 100, 200].map((ms) => movedMs + 500 + ms),
        ...[0, 300, 600, 900, 1200, 1500].map((ms) => lateMs + ms),
      ]
      const messages = comeMs.map((ms, nth) => plainOrder(nth + 1, ms))
      const healedMs = lateMs + 2500 + healedAfterMs
      const late = messages.length - copiesAfterMs.length
      return {
        ...plan,
        messages,
        faults: [
          { kind: 'machine-added', ...atMs(addedMs), healAfterMs: healedMs - 300 - addedMs },
          { kind: 'machine-cut-off', ...atMs(cutMs), ...withTheOther, healAfterMs: healedMs - cutMs },
          ...[0, 1, 2]
            .filter((consumer) => consumer !== stays)
            .map((consumer) => ({ kind: 'connection-reset', ...atMs(movedMs), consumer })),
          ...copiesOf(
            messages,
            copiesAfterMs.map((ms, nth) => ({ of: late + nth, atMs: healedMs + demotedAfterMs + ms })),
          ),
          ...plan.faults,
        ],
      }
    })

/** The primary's second replica is the uncounted one. */
const withTheOther = { who: 'primary', which: 1, from: 'machines', withReplica: true }

/** Sentinels make a replaced primary a replica some ten seconds after it is reachable again. */
const demotedAfterMs = 12_000

/**
 * The Sentinels know the extra replica. A minute after the cut, the primary drops the counted
 * replica. Then the number of attached replicas is right, and only Sentinels could know which
 * replicas are attached.
 */
const inItsPlace = wrongOneAcknowledges({
  addedMs: fc.nat({ max: 4000 }),
  earlyMs: 4100,
  cutMs: fc.integer({ min: askedAgainMs + 900, max: askedAgainMs + 2000 }),
  lateAfterMs: 62_500,
})

/**
 * The extra replica is added when the Sentinels have just queried the primary for its replicas.
 * Because of the cut, they cannot query it again. So only the primary knows the extra replica.
 */
const besideIt = wrongOneAcknowledges({
  addedMs: fc.integer({ min: askedAgainMs + 100, max: askedAgainMs + 300 }),
  earlyMs: askedAgainMs + 400,
  cutMs: fc.integer({ min: askedAgainMs + 900, max: askedAgainMs + 2000 }),
  lateAfterMs: 7000,
})

export default defineScenario({
  id: 'uncounted-replica',
  story:
    'An operator attaches an extra replica unannounced. It acknowledges writes instead of the replica that counts, which is promoted without them. ' +
    'A layer that waits for its configured number of acknowledgements gets them, from the wrong replica.',
  shape: 'sentinel',
  assumptions: [
    'a replica that layers do not know is never promoted',
    'it is attached while the counted replicas are, or after the Sentinels know it',
    'all copies of a message carry the same payload',
  ],
  goals: ['a-server-was-promoted', 'two-primaries-served-at-once', 'a-replaced-primary-came-back'],
  recoveryCapMs: 60_000,
  runMs: 89,
  // `canary-uncounted-counts` takes up to 12 runs.
  minimumRuns: 20,
  plans: fc.oneof(attached, inItsPlace, besideIt),
  aimed: { every: 4, draws: [{ goals: [], plans: longThere }] },
})
