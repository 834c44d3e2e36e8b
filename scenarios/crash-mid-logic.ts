import fc from 'fast-check'
import { defineScenario } from '../src/contract/api/scenario.ts'
import { picked } from '../src/run/seldom.ts'
import { atNew, drawAtFirst } from '../src/sim/plans/aim.ts'
import { drawFault, plansOf, type Workload } from '../src/sim/plans/workload.ts'

const workload: Workload = {
  always: drawFault('crash'),
  faults: ['crash', 'duplicate-delivery', 'redelivery', 'lost-acknowledgement'],
  maxFaults: 3,
}

const behindEffect = plansOf({
  ...workload,
  always: drawAtFirst('crash', 'effect-applied', 'effect-answered', 'answered'),
})

/**
 * The process dies between two commands, and the first answer to the broker is
 * lost.
 */
const betweenCommands = plansOf({
  ...workload,
  always: (scope) =>
    fc
      .tuple(
        drawFault('crash')(scope),
        fc.constantFrom('command-executed' as const, 'reply-received' as const),
        fc.integer({ min: 2, max: 7 }),
        drawAtFirst('lost-acknowledgement', 'answered')(scope),
      )
      .map(([{ consumer: _, ...crash }, at, nth, lost]) => [{ ...crash, ...atNew(at, nth) }, lost]),
})

/**
 * The only process dies once and restarts. Later its answer to the broker is lost, and the broker
 * delivers the message again to the process that sent the answer.
 */
const answerUnheard = plansOf({
  ...workload,
  consumers: 1,
  messages: 1,
  always: (scope) =>
    fc
      .tuple(
        drawAtFirst('crash', 'delivery-received', 'command-unsent', 'effect-unsent')(scope),
        drawAtFirst('lost-acknowledgement', 'answered')(scope),
      )
      .map((both) => both),
  faults: [],
})

/**
 * The broker has skipped the offset of the only message when its consumer dies, so no later attempt
 * reads the record of the message.
 */
const neverBack = fc
  .tuple(
    plansOf({ ...workload, messages: 1, always: () => fc.constant([]), faults: [] }),
    fc.record({
      at: picked(
        'command-executed' as const,
        'command-executed',
        'reply-received',
        'reply-received',
        'effect-unapplied',
      ),
      // The second kind of command often takes the key.
      nth: fc.oneof({ weight: 3, arbitrary: fc.constant(2) }, { weight: 1, arbitrary: fc.integer({ min: 1, max: 6 }) }),
      healAfterMs: fc.integer({ min: 1, max: 2000 }),
    }),
  )
  .map(([plan, { at, nth, healAfterMs }]) => {
    const there = atNew(at, at === 'effect-unapplied' ? 1 : nth)
    return {
      ...plan,
      faults: [
        { kind: 'commit-past', message: 0, ...there },
        { kind: 'crash', healAfterMs, ...there },
      ],
    }
  })

export default defineScenario({
  id: 'crash-mid-logic',
  story:
    'A consumer is killed in the middle of its work: before the lock, between lock and effect, during the effect, ' +
    'before it stored the result, or before it acknowledged. The broker redelivers the message to another consumer or to its successor.',
  shape: 'single',
  stores: ['redis', 'postgres', 'dynamodb'],
  assumptions: ['one server that keeps its data', 'all copies of a message carry the same payload'],
  goals: [
    'a-process-crashed-before-its-effect',
    'a-process-crashed-between-effect-and-acknowledgement',
    'a-message-was-redelivered',
    'a-message-never-came-back',
  ],
  recoveryCapMs: 60_000,
  runMs: 5,
  // `canary-takes-begun-after-two-leases` takes up to 37 runs.
  minimumRuns: 50,
  plans: plansOf(workload),
  aimed: {
    every: 2,
    draws: [
      { goals: ['a-process-crashed-between-effect-and-acknowledgement'], plans: behindEffect },
      { goals: ['a-message-never-came-back'], plans: neverBack },
      { goals: [], plans: answerUnheard },
      { goals: ['a-process-crashed-between-effect-and-acknowledgement'], plans: behindEffect },
      { goals: ['a-message-was-redelivered'], plans: betweenCommands },
      { goals: ['a-message-never-came-back'], plans: neverBack },
    ],
  },
})
