import fc from 'fast-check'
import { defineScenario } from '../src/contract/api/scenario.ts'
import { drawAtFirst } from '../src/sim/plans/aim.ts'
import { drawFault, lasting, plansOf, type Workload } from '../src/sim/plans/workload.ts'

const workload: Workload = {
  always: drawFault('redelivery'),
  faults: [
    'duplicate-delivery',
    'redelivery',
    'lost-acknowledgement',
    'out-of-order',
    'slow-effect',
    'crash',
    'commit-past',
  ],
  maxFaults: 8,
  messages: 8,
  keys: 2,
  // With so short a timeout, attempts that did not fail are counted, so the maximum number of
  // attempts is high.
  visibilityMs: fc.integer({ min: 50, max: 2000 }),
  maxAttempts: 1000,
}

const committedPast = plansOf({
  ...workload,
  always: (scope) => {
    const commitPast = drawAtFirst('commit-past', 'effect-unsent', 'effect-unapplied')(scope)
    // The second `commit-past` is for message 0, which is often being handled at that time.
    return fc.tuple(
      drawFault('redelivery')(scope),
      commitPast,
      commitPast.map((fault) => ({ ...fault, message: 0 })),
    )
  },
})

/**
 * The broker holds back messages for some hundred milliseconds, and delivers them all at
 * once.
 */
const heldBack = plansOf({
  ...workload,
  always: (scope) =>
    fc
      .tuple(
        drawFault('redelivery')(scope),
        drawFault('out-of-order')(scope),
        fc.record({ ms: fc.nat({ max: 100 }), healAfterMs: fc.integer({ min: 100, max: 600 }) }),
      )
      .map(([redelivery, held, { ms, healAfterMs }]) => [
        redelivery,
        { ...lasting(held, healAfterMs), when: { at: 'time' as const, ms } },
      ]),
})

export default defineScenario({
  id: 'redelivery-storm',
  story:
    'The broker misbehaves: copies, rebalances, lost acknowledgements and a visibility timeout that is shorter than the work, ' +
    'so that several consumers handle one key over and over.',
  shape: 'single',
  assumptions: ['one Redis server that keeps its data', 'all copies of a message carry the same payload'],
  goals: [
    'a-message-was-redelivered',
    'two-consumers-had-one-message-at-once',
    'an-acknowledgement-was-lost',
    'a-duplicate-was-answered-with-the-stored-result',
    'a-broker-skipped-the-offset-of-an-unfinished-message',
  ],
  recoveryCapMs: 60_000,
  runMs: 4.8,
  // `000-set-nx-marker` takes up to 42 runs.
  minimumRuns: 56,
  plans: plansOf(workload),
  aimed: {
    every: 4,
    draws: [
      { goals: ['a-broker-skipped-the-offset-of-an-unfinished-message'], plans: committedPast },
      { goals: ['a-message-was-redelivered', 'a-duplicate-was-answered-with-the-stored-result'], plans: heldBack },
    ],
  },
})
