import fc from 'fast-check'
import type { Plan, PlannedFault } from '../src/contract/api/plan.ts'
import { defineScenario } from '../src/contract/api/scenario.ts'
import { picked } from '../src/run/seldom.ts'
import { atFirst, atNew, drawAtFirst } from '../src/sim/plans/aim.ts'
import { atMs, copyAtMs } from '../src/sim/plans/at-time.ts'
import { plainOrder } from '../src/sim/plans/orders.ts'
import { statedSkewMs } from '../src/sim/plans/skew.ts'
import { dayMs, lasting, plansOf, type Workload } from '../src/sim/plans/workload.ts'

const workload: Workload = {
  faults: ['crash', 'redelivery', 'duplicate-delivery', 'slow-effect'],
  maxFaults: 3,
  keys: 1,
  messages: 3,
  visibilityMs: fc.integer({ min: 1000, max: 6000 }),
}

/** Copies of the message, so that attempts follow the first holder's death. */
const copies = fc
  .array(fc.integer({ min: 1, max: 6000 }), { minLength: 2, maxLength: 4, size: 'max' })
  .map((times) => times.map((ms) => copyAtMs(ms)))

/**
 * One holder dies before its effect, and the next one dies when its effect has just been applied.
 * So there are two doubts about one key, one after the other.
 */
const twoDoubts = plansOf({
  ...workload,
  always: (scope) =>
    fc
      .tuple(
        drawAtFirst('crash', 'effect-unsent', 'effect-unapplied')(scope),
        fc.integer({ min: 20, max: 400 }),
        drawAtFirst('crash', 'effect-applied', 'effect-answered')(scope),
        copies,
      )
      .map(([first, healAfterMs, second, more]) => [lasting(first, healAfterMs), second, ...more]),
})

/**
 * Data are lost before the message is first handled, so two processes ask the sink. Data are lost
 * again when one of them has settled the doubt. Messages of other keys reveal the second loss
 * before the other process gets its answer. More messages arrive when the loss is old.
 */
const twoLosses = fc
  .tuple(
    plansOf({ ...workload, faults: [], leaseMs: fc.integer({ min: 2500, max: 5000 }) }),
    fc.record({
      firstMs: fc.nat({ max: 100 }),
      copyMs: fc.integer({ min: 151, max: 250 }),
      secondMs: fc.integer({ min: 600, max: 1100 }),
      laterMs: fc.array(fc.integer({ min: 1101, max: 2500 }), { minLength: 1, maxLength: 3, size: 'max' }),
    }),
  )
  .map(([plan, { firstMs, copyMs, secondMs, laterMs }]) => {
    const orders = [150, ...laterMs, 3600, 3700, 3800].map((publishAtMs, at) => plainOrder(at + 1, publishAtMs))
    const faults: PlannedFault[] = [
      { kind: 'redis-flushed', ...atMs(firstMs) },
      { kind: 'redis-flushed', ...atMs(secondMs) },
      { kind: 'duplicate-delivery', ...atMs(copyMs), message: 0 },
    ]
    return { ...plan, messages: orders, faults }
  })

// Without slow effects: a request that arrives when a keyed sink has forgotten the key is performed
// again, whatever a layer does.
const old: Workload = {
  ...workload,
  faults: ['crash', 'redelivery', 'duplicate-delivery'],
  retentionMs: fc.integer({ min: 5000, max: 7000 }),
  leaseMs: fc.integer({ min: 500, max: 1200 }),
  messages: 1,
}

/**
 * When a process asks the sink about the doubt, the message may be older than the retention. The
 * retention is much longer than a lease.
 */
const oldDoubt = plansOf({
  ...old,
  always: (scope) =>
    fc
      .tuple(drawAtFirst('crash', 'effect-unsent', 'effect-unapplied')(scope), fc.integer({ min: 5000, max: 9000 }))
      .map(([fault, healAfterMs]) => lasting(fault, healAfterMs)),
})

/**
 * Like `oldDoubt`, but with a single consumer, so that no other process asks earlier. The record
 * still exists, because its lifetime is slightly longer than the retention.
 */
const oldDoubtOfOne = fc
  .tuple(
    plansOf({ ...old, consumers: 1, faults: [], visibilityMs: fc.integer({ min: 1000, max: 4000 }) }),
    fc.constantFrom('effect-unsent' as const, 'effect-unapplied' as const),
    fc.integer({ min: 1, max: 2 * statedSkewMs - 200 }),
  )
  .map(([plan, at, laterMs]) => {
    const crash = { kind: 'crash', ...atFirst(at), healAfterMs: plan.retentionMs + laterMs }
    return { ...plan, faults: [crash] }
  })

/**
 * The sink refuses while Redis does not reply for longer than a client waits. The consumer that
 * received the refusal dies. Copies arrive later.
 */
const refusedUnheard = plansOf({
  ...workload,
  messages: 1,
  faults: [],
  leaseMs: fc.integer({ min: 500, max: 1500 }),
  always: () =>
    fc
      .record({ silentMs: fc.integer({ min: 6000, max: 9000 }), goneMs: fc.integer({ min: 50, max: 2000 }), copies })
      .map(({ silentMs, goneMs, copies: more }): PlannedFault[] => [
        { kind: 'effect-fails-before', how: 'refuse', ...atFirst('effect-unapplied') },
        { kind: 'slow-redis', ...atFirst('effect-unapplied'), healAfterMs: silentMs },
        { kind: 'crash', ...atFirst('acknowledged'), healAfterMs: goneMs },
        ...more.map((copy) => ({
          ...copy,
          ...atMs(silentMs + 1000 + Number(copy.when.at === 'time' && copy.when.ms)),
        })),
      ]),
})

/** A message of one key reveals a loss, and copies of finished messages of other keys arrive. */
const lossElsewhere = plansOf({
  ...workload,
  keys: 6,
  messages: 8,
  spanMs: 3000,
  faults: ['late-copy', 'redelivery'],
  retentionMs: fc.constant(dayMs),
  always: () =>
    fc
      .record({
        loss: fc.constantFrom('eviction', 'eviction', 'redis-flushed'),
        lostMs: fc.integer({ min: 800, max: 2000 }),
        healAfterMs: fc.integer({ min: 100, max: 500 }),
        later: fc.array(fc.record({ ms: fc.integer({ min: 2500, max: 5000 }), message: fc.nat({ max: 7 }) }), {
          minLength: 3,
          maxLength: 6,
          size: 'max',
        }),
      })
      .map(({ loss, lostMs, healAfterMs, later }): PlannedFault[] => [
        { kind: loss, ...atMs(lostMs), ...(loss === 'eviction' ? { healAfterMs } : {}) },
        ...later.map(({ ms, message }) => ({ kind: 'duplicate-delivery', ...atMs(ms), message })),
      ]),
})

/**
 * Data are lost before the message is first handled, and a process that learned of the doubt stops
 * for longer than records live. During the pause, other processes settle the doubt and perform, and
 * their record expires. Copies arrive during the pause and when the process resumes.
 */
const settledTooLate = fc
  .tuple(
    plansOf({
      ...workload,
      faults: [],
      consumers: 3,
      serial: fc.constant(false),
      pace: fc.constant({}),
      effectMs: fc.integer({ min: 1, max: 50 }),
      leaseMs: fc.integer({ min: 300, max: 800 }),
      retentionMs: fc.integer({ min: 1000, max: 3000 }),
    }),
    fc.record({
      lostMs: fc.nat({ max: 100 }),
      // Most often before the third kind of command, which settles the doubt.
      stops: picked(
        { at: 'command-unsent' as const, nth: 3 },
        { at: 'command-unsent', nth: 3 },
        { at: 'command-unsent', nth: 4 },
        { at: 'reply-received', nth: 2 },
        { at: 'reply-received', nth: 5 },
      ),
      laterMs: fc.integer({ min: 1000, max: 4000 }),
      soonMs: fc.array(fc.integer({ min: 160, max: 900 }), { minLength: 2, maxLength: 3, size: 'max' }),
      lateMs: fc.array(fc.integer({ min: 1, max: 2000 }), { minLength: 1, maxLength: 2, size: 'max' }),
    }),
  )
  .map(([plan, { lostMs, stops, laterMs, soonMs, lateMs }]) => {
    const stoppedMs = plan.retentionMs + 2 * statedSkewMs + laterMs
    const copyMs = [...soonMs, ...lateMs.map((ms) => 1000 + stoppedMs + ms)]
    const faults: PlannedFault[] = [
      { kind: 'redis-flushed', ...atMs(lostMs) },
      { kind: 'pause', ...atNew(stops.at, stops.nth), healAfterMs: stoppedMs },
      ...copyMs.map((ms) => ({ kind: 'duplicate-delivery', ...atMs(ms), message: 0 })),
    ]
    return { ...plan, messages: [plainOrder(1, 150)], faults }
  })

const several: Partial<Workload> = { consumers: 3, serial: fc.constant(false), pace: fc.constant({}), messages: 1 }

/**
 * A process that has learned of the doubt stops before its nth kind of command. During the pause,
 * other processes learn of the doubt, too.
 */
const stopsFor = (nth: number, healAfterMs: number): PlannedFault => ({
  kind: 'pause',
  ...atNew('command-unsent', nth),
  healAfterMs,
})

const copiesBetween = (min: number, max: number) =>
  fc.array(fc.integer({ min, max }), { minLength: 3, maxLength: 4, size: 'max' })

/**
 * One process dies before its effect. Several processes learn of the doubt. One stops before it
 * settles the doubt. Another one settles the doubt, and dies when its effect has just been applied.
 */
const settledByTwo = plansOf({
  ...workload,
  ...several,
  faults: [],
  leaseMs: fc.integer({ min: 300, max: 800 }),
  effectMs: fc.integer({ min: 1, max: 50 }),
  always: (scope) =>
    fc
      .record({
        first: drawAtFirst('crash', 'effect-unsent')(scope),
        goneMs: fc.integer({ min: 20, max: 200 }),
        nth: picked(6, 7),
        stoppedMs: fc.integer({ min: 1500, max: 4000 }),
        second: drawAtFirst('crash', 'effect-applied')(scope),
        copiesMs: copiesBetween(800, 2500),
      })
      .map(({ first, goneMs, nth, stoppedMs, second, copiesMs }) => [
        lasting(first, goneMs),
        stopsFor(nth, stoppedMs),
        second,
        ...copiesMs.map((ms) => copyAtMs(ms)),
      ]),
})

/**
 * Data are lost before the message is first handled. Several processes learn of the doubt. One
 * stops before it settles the doubt. Another process settles the doubt. When the first process
 * resumes, the other one is performing its effect. With `again`, the effect is done, and data are
 * lost again.
 */
const settledMeanwhile = (again: boolean) =>
  fc
    .tuple(
      plansOf({
        ...workload,
        ...several,
        faults: [],
        effectMs: again ? fc.integer({ min: 1, max: 50 }) : fc.integer({ min: 200, max: 450 }),
        effectTimeoutMs: fc.constant(3000),
        leaseMs: fc.integer({ min: 2500, max: 5000 }),
      }),
      fc.record({
        firstMs: fc.nat({ max: 100 }),
        copiesMs: copiesBetween(151, 250),
        nth: picked(3, 3, 3, 3, 2, 4),
        stoppedMs: fc.integer({ min: 100, max: 400 }),
        secondMs: fc.integer({ min: 800, max: 1100 }),
      }),
    )
    .map(([plan, { firstMs, copiesMs, nth, stoppedMs, secondMs }]) => ({
      ...plan,
      messages: [plainOrder(1, 150), plainOrder(2, secondMs + 50), plainOrder(3, secondMs + 150)],
      faults: [
        { kind: 'redis-flushed', ...atMs(firstMs) },
        stopsFor(nth, again ? 1200 + stoppedMs : stoppedMs),
        ...(again ? [{ kind: 'redis-flushed', ...atMs(secondMs) }] : []),
        ...copiesMs.map((ms) => copyAtMs(ms)),
      ],
    }))

const plans: fc.Arbitrary<Plan> = fc.oneof(
  { weight: 1, arbitrary: twoDoubts },
  { weight: 1, arbitrary: twoLosses },
  { weight: 1, arbitrary: oldDoubt },
  { weight: 1, arbitrary: oldDoubtOfOne },
  { weight: 1, arbitrary: refusedUnheard },
  { weight: 2, arbitrary: lossElsewhere },
)

export default defineScenario({
  id: 'slow-settlement',
  dependsOnSink: true,
  story:
    'Holders die around their effects and data is lost, so that several attempts are in doubt about one key at once. ' +
    'A late settlement must not settle an attempt that has begun since.',
  shape: 'single',
  // `canary-late-settlement-counts` takes up to 66 runs.
  minimumRuns: 86,
  runMs: 7,
  assumptions: [
    'one Redis server; unless it loses all data, every loss changes its replication id or its evicted_keys',
    'all copies of a message carry the same payload',
  ],
  goals: ['an-effect-was-in-doubt', 'a-copy-came-after-its-record-was-lost'],
  recoveryCapMs: 60_000,
  plans,
  aimed: {
    every: 2,
    draws: [
      { goals: [], plans: settledTooLate },
      { goals: [], plans: settledByTwo },
      { goals: [], plans: twoLosses },
      { goals: [], plans: settledMeanwhile(true) },
      { goals: [], plans: settledMeanwhile(false) },
      { goals: [], plans: settledTooLate },
      { goals: [], plans: settledByTwo },
      { goals: [], plans: settledMeanwhile(true) },
    ],
  },
})
