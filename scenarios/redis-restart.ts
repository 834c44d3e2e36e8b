import fc from 'fast-check'
import { defineScenario } from '../src/contract/api/scenario.ts'
import { drawAtFirst } from '../src/sim/plans/aim.ts'
import { clockBehind } from '../src/sim/plans/clock-behind.ts'
import { clockWithinSkew, producedAtWithinSkew, withinSkewText } from '../src/sim/plans/skew.ts'
import { drawFault, plansOf, type Workload } from '../src/sim/plans/workload.ts'

const losses = ['redis-restart', 'redis-flushed']

const workload: Workload = {
  always: (scope) =>
    fc.tuple(fc.oneof(...losses.map((kind) => drawFault(kind)(scope))), clockWithinSkew).map((some) => some.flat()),
  producedAtOffMs: producedAtWithinSkew,
  faults: [...losses, 'duplicate-delivery', 'redelivery', 'late-copy', 'commit-past', 'scripts-flushed', 'crash'],
  keys: 2,
}

/**
 * The broker has skipped the offset of a message during its effect. When the effect is done, the
 * record of the message is lost.
 */
const publishedAgain = plansOf({
  ...workload,
  always: (scope) =>
    fc.tuple(
      drawAtFirst('commit-past', 'effect-unapplied')(scope),
      // This fault is for message 0, which is often being handled at that time.
      drawAtFirst('commit-past', 'effect-unapplied')(scope).map((fault) => ({ ...fault, message: 0 })),
      fc.oneof(...losses.map((kind) => drawAtFirst(kind, 'effect-answered', 'answered')(scope))),
    ),
})

const lostBehind = clockBehind(workload, (scope) =>
  fc.oneof(...losses.map((kind) => drawAtFirst(kind, 'answered', 'acknowledged')(scope))),
)

export default defineScenario({
  id: 'redis-restart',
  story:
    'Redis dies and restarts empty, or is flushed, while work is under way and copies of old messages still exist. ' +
    'A missing record proves nothing any more.',
  shape: 'single',
  assumptions: [
    'one Redis server; unless it loses all data, every loss changes its replication id or its evicted_keys',
    'all copies of a message carry the same payload',
    withinSkewText,
  ],
  goals: ['a-copy-came-after-its-record-was-lost', 'a-message-was-published-again-after-the-loss'],
  recoveryCapMs: 60_000,
  minimumRuns: 80,
  runMs: 4.3,
  plans: plansOf(workload),
  aimed: {
    every: 4,
    draws: [
      { goals: ['a-message-was-published-again-after-the-loss'], plans: publishedAgain },
      { goals: ['a-copy-came-after-its-record-was-lost'], plans: lostBehind },
    ],
  },
})
