import fc from 'fast-check'
import { defineScenario } from '../src/contract/api/scenario.ts'
import { picked } from '../src/run/seldom.ts'
import { atNew, drawAtFirst } from '../src/sim/plans/aim.ts'
import { atMs } from '../src/sim/plans/at-time.ts'
import { drawFault, lasting, plansOf, type Workload } from '../src/sim/plans/workload.ts'

const workload: Workload = {
  always: drawFault('partition'),
  faults: ['partition', 'slow-link', 'duplicate-delivery', 'redelivery'],
  maxFaults: 3,
}

const partitions = plansOf(workload)

/**
 * A duration in milliseconds that is longer than a client waits for Redis, and longer than a caller
 * waits for the sink.
 */
const pastTimeout = fc.integer({ min: 3000, max: 20_000 })

/**
 * A command arrives after its client has given up, and an answer of the sink arrives after its
 * caller has given up.
 */
const afterTimeout = plansOf({
  ...workload,
  always: (scope) =>
    fc
      .tuple(
        drawFault('partition')(scope),
        // Most often the command that begins an attempt, sent in full or by its script's hash.
        picked(1, 2, 3, 3, 4, 4, 5, 6),
        fc.constantFrom('both', 'to-node'),
        pastTimeout,
        drawAtFirst('partition', 'effect-applied')(scope),
        fc.constantFrom('both', 'to-process'),
        pastTimeout,
      )
      .map(([{ consumer: _, ...fromRedis }, nth, wayToRedis, redisMs, fromSink, wayFromSink, sinkMs]) => [
        { ...lasting(fromRedis, redisMs), node: 'redis', way: wayToRedis, ...atNew('command-unsent', nth) },
        { ...lasting(fromSink, sinkMs), node: 'sink', way: wayFromSink },
      ]),
})

/** A consumer knows that its connection is lost, and cannot reconnect for minutes. */
const offline = fc
  .tuple(
    plansOf({ consumers: 3, faults: ['duplicate-delivery', 'redelivery'], maxFaults: 2 }),
    fc.record({
      consumer: fc.nat({ max: 2 }),
      ms: fc.nat({ max: 200 }),
      healAfterMs: fc.integer({ min: 70_000, max: 150_000 }),
    }),
  )
  .map(([plan, { consumer, ms, healAfterMs }]) => {
    const when = { at: 'time' as const, ms }
    const cut = { kind: 'partition', when, consumer, node: 'redis', way: 'both', healAfterMs }
    return { ...plan, faults: [cut, { kind: 'connection-reset', when, consumer }, ...plan.faults] }
  })

/**
 * All consumers are cut off from the sink when they start, and reach it again before a caller times
 * out.
 */
const sinkAway = plansOf({
  ...workload,
  consumers: 3,
  always: () =>
    fc
      .record({
        ms: fc.nat({ max: 300 }),
        way: fc.constantFrom('both', 'to-process'),
        healAfterMs: fc.integer({ min: 1200, max: 2500 }),
      })
      .map((away) =>
        [0, 1, 2].map((consumer) => ({
          kind: 'partition',
          ...atMs(away.ms),
          consumer,
          node: 'sink',
          way: away.way,
          healAfterMs: away.healAfterMs,
        })),
      ),
  faults: ['duplicate-delivery', 'redelivery'],
  maxFaults: 2,
})

/**
 * A consumer has high latency to some or all peers, but clients and callers do not time
 * out.
 */
const farAway = plansOf({
  ...workload,
  always: ({ consumers }) =>
    fc
      .record({
        nodes: fc.subarray(['redis', 'sink', 'broker'], { minLength: 1 }),
        consumer: fc.nat({ max: consumers - 1 }),
        extraMs: fc.integer({ min: 60, max: 600 }),
        healAfterMs: fc.integer({ min: 3000, max: 30_000 }),
      })
      .map(({ nodes, ...far }) =>
        nodes.map((node) => ({ kind: 'slow-link', when: { at: 'time' as const, ms: 0 }, node, ...far })),
      ),
  faults: ['duplicate-delivery', 'redelivery'],
})

const doubts = ['an-effect-was-in-doubt', 'a-command-was-executed-after-its-client-had-given-up']

export default defineScenario({
  id: 'network-partition',
  story:
    'A consumer cannot reach its store, the sink or the broker for a while, in one direction or both: ' +
    'commands and effects arrive late, replies are missing, connections stay half-open, and an offline queue is sent minutes later.',
  shape: 'single',
  stores: ['redis', 'postgres'],
  assumptions: ['one server that keeps its data', 'all copies of a message carry the same payload'],
  goals: [
    'a-partition-healed-while-a-delivery-was-open',
    'an-effect-was-in-doubt',
    'a-command-was-executed-after-its-client-had-given-up',
    'an-offline-queue-was-sent-minutes-later',
  ],
  recoveryCapMs: 60_000,
  runMs: 6.3,
  // `canary-only-slow-link` takes up to 60 runs.
  minimumRuns: 80,
  plans: fc.oneof({ weight: 9, arbitrary: partitions }, { weight: 1, arbitrary: offline }),
  aimed: {
    every: 2,
    draws: [
      { goals: doubts, plans: afterTimeout },
      { goals: [], plans: sinkAway },
      { goals: doubts, plans: afterTimeout },
      { goals: ['an-offline-queue-was-sent-minutes-later'], plans: offline },
      { goals: doubts, plans: afterTimeout },
      { goals: [], plans: farAway },
    ],
  },
})
