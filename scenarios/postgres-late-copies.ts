import { defineScenario } from '../src/contract/api/scenario.ts'
import { besidesRedisKeys } from '../src/contract/api/verdict.ts'
import { postgresClock } from '../src/run/faults/machine.ts'
import { lateCopies } from '../src/sim/plans/late-copies.ts'
import { postgresServer } from '../src/sim/plans/postgres-plan.ts'

// Rows are deleted only now and then, so a single copy would find most of them. Relays poll, and a
// day of that is too much for a run.
const plans = lateCopies({
  clock: postgresClock,
  mostFromTheFuture: 5,
  latestMs: 90_000,
  postgres: postgresServer(),
})

export default defineScenario({
  id: 'postgres-late-copies',
  story:
    'A copy of a message turns up long after everybody was told to forget it, and its old row has been deleted: a replayed log, a restored backup, a stuck outbox. ' +
    'A layer that finds no row cannot tell it from a new one, nor a message that the broker delivers again as late as that.',
  shape: 'single',
  stores: ['postgres'],
  assumptions: [
    'one PostgreSQL server that keeps what was committed',
    'every copy of a message carries the same payload',
    'the clock of PostgreSQL jumps forwards by less than two seconds',
  ],
  invariants: besidesRedisKeys,
  goals: ['a-copy-came-after-the-retention', 'a-message-was-redelivered-after-the-retention'],
  recoveryCapMs: 60_000,
  minimumRuns: 140,
  runMs: 5,
  plans: plans.any,
  aimed: {
    every: 2,
    draws: [
      { goals: [], plans: plans.youngAgain },
      { goals: ['a-copy-came-after-the-retention'], plans: plans.fromTheFuture },
      { goals: ['a-message-was-redelivered-after-the-retention'], plans: plans.redeliveredTooLate },
      { goals: [], plans: plans.producedWithinSkew },
      { goals: [], plans: plans.sinkForgetsFirst },
    ],
  },
})
