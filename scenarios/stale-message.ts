import { defineScenario } from '../src/contract/api/scenario.ts'
import { lateCopies } from '../src/sim/plans/late-copies.ts'

const redisClock = -1
const plans = lateCopies({ clock: redisClock })

export default defineScenario({
  id: 'stale-message',
  dependsOnSink: true,
  story:
    'A copy of a message arrives after its retention: a replayed log, a restored backup, a stuck outbox. ' +
    'A layer that finds no record cannot distinguish it from a new message, nor a redelivery that is as late.',
  shape: 'single',
  assumptions: [
    'one Redis server that keeps its data',
    'all copies of a message carry the same payload',
    'the clock of Redis jumps forward by less than two seconds',
  ],
  goals: ['a-copy-came-after-the-retention', 'a-message-was-redelivered-after-the-retention'],
  recoveryCapMs: 60_000,
  // `canary-only-late-copy` takes up to 39 runs.
  minimumRuns: 52,
  runMs: 3.7,
  plans: plans.any,
  aimed: {
    every: 2,
    draws: [
      { goals: [], plans: plans.youngAgain },
      { goals: ['a-copy-came-after-the-retention'], plans: plans.fromTheFuture },
      { goals: ['a-message-was-redelivered-after-the-retention'], plans: plans.redeliveredTooLate },
      { goals: [], plans: plans.youngAgain },
      { goals: [], plans: plans.producedWithinSkew },
      { goals: [], plans: plans.sinkForgetsFirst },
    ],
  },
})
