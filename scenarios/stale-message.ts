import fc from 'fast-check'
import { defineScenario } from '../src/contract/scenario.ts'
import { oneIn } from '../src/run/seldom.ts'
import { drawAtFirst } from '../src/sim/plans/aim.ts'
import { statedSkewMs } from '../src/sim/plans/skew.ts'
import { dayMs, drawFault, plansOf, type Workload } from '../src/sim/plans/workload.ts'

const workload: Workload = {
  always: drawFault('late-copy'),
  faults: ['late-copy', 'duplicate-delivery', 'redelivery', 'lost-acknowledgement'],
  maxFaults: 3,
  retentionMs: fc.oneof(fc.integer({ min: 5000, max: 30_000 }), fc.constant(dayMs)),
  // Producers whose clocks are wrong: a message from the future looks young for too long.
  stampOffMs: oneIn(4, fc.integer({ min: -20_000, max: 90_000 })).map((offMs) => offMs ?? 0),
}

/**
 * Redis's clock jumps forwards, by less than twice the skew, shortly before the retention is over, and back: a record that
 * lives no longer than the retention is gone, and a copy that comes now is young again.
 */
const youngAgain = fc
  .tuple(
    plansOf({
      ...workload,
      always: () => fc.constant([]),
      faults: [],
      stampOffMs: fc.constant(0),
      keys: 1,
      spanMs: 10,
      effectMs: fc.integer({ min: 1, max: 100 }),
      pace: fc.constant({}),
      leaseMs: fc.integer({ min: 500, max: 2000 }),
      retentionMs: fc.integer({ min: 3000, max: 6000 }),
    }),
    fc.record({
      beforeMs: fc.integer({ min: 500, max: 900 }),
      byMs: fc.integer({ min: 1500, max: 2 * statedSkewMs - 1 }),
    }),
  )
  .map(([plan, { beforeMs, byMs }]) => {
    const ms = plan.retentionMs - beforeMs
    const copy = (laterMs: number) => {
      return { kind: 'duplicate-delivery', when: { at: 'time' as const, ms: ms + laterMs }, message: 0 }
    }
    const jump = { kind: 'clock-step', when: { at: 'time' as const, ms }, machine: -1, byMs, healAfterMs: 150 }
    // The first copy comes while the clock is ahead: only then does anybody see that the record has expired.
    return { ...plan, faults: [jump, copy(20), copy(200), copy(300)] }
  })

/** The producer's clock is ahead, by more than layers are told: a copy that is far too old still looks young. */
const fromTheFuture = plansOf({
  ...workload,
  always: () =>
    fc
      .integer({ min: 30_000, max: 60_000 })
      .map((healAfterMs) => ({ kind: 'late-copy', when: { at: 'time', ms: 0 }, message: 0, healAfterMs })),
  maxFaults: 1,
  retentionMs: fc.integer({ min: 5000, max: 10_000 }),
  stampOffMs: fc.integer({ min: 60_000, max: 90_000 }),
})

/**
 * Who was at work on a message dies, or its answer is lost, and the broker waits so long before it delivers again that no
 * record of the key need be left.
 */
const redeliveredTooLate = fc
  .tuple(
    plansOf({
      ...workload,
      always: (scope) =>
        fc.oneof(
          drawAtFirst('crash', 'effect-unapplied', 'effect-applied', 'effect-answered', 'answered')(scope),
          drawAtFirst('lost-acknowledgement', 'answered')(scope),
        ),
      faults: ['duplicate-delivery'],
      maxFaults: 2,
      stampOffMs: fc.constant(0),
      retentionMs: fc.integer({ min: 5000, max: 10_000 }),
    }),
    fc.integer({ min: 1, max: 5000 }),
  )
  .map(([plan, laterMs]) => ({ ...plan, visibilityMs: plan.retentionMs + 2 * statedSkewMs + laterMs }))

export default defineScenario({
  id: 'stale-message',
  story:
    'A copy of a message turns up long after everybody was told to forget it: a replayed log, a restored backup, a stuck outbox. ' +
    'A layer that finds no record cannot tell it from a new one, nor a message that the broker delivers again as late as that.',
  shape: 'single',
  assumptions: [
    'one Redis server that keeps its data',
    'every copy of a message carries the same payload',
    'the clock of Redis jumps forwards by less than two seconds',
  ],
  goals: ['a-copy-came-after-the-retention', 'a-message-was-redelivered-after-the-retention'],
  recoveryCapMs: 60_000,
  runMs: 3.7,
  plans: plansOf(workload),
  aimed: {
    every: 4,
    draws: [
      { goals: [], plans: youngAgain },
      { goals: ['a-copy-came-after-the-retention'], plans: fromTheFuture },
      { goals: ['a-message-was-redelivered-after-the-retention'], plans: redeliveredTooLate },
    ],
  },
})
