import { defineScenario } from '../src/contract/api/scenario.ts'
import { besidesRedisKeys } from '../src/contract/api/verdict.ts'
import { postgresClock } from '../src/run/faults/machine.ts'
import { lateCopies } from '../src/sim/plans/late-copies.ts'
import { postgresServer } from '../src/sim/plans/postgres-plan.ts'

// Several copies, because layers rarely delete rows, and a single copy would find most rows. At
// most 90 s, because relays poll, and a day of polling is too much for a run.
const plans = lateCopies({
  clock: postgresClock,
  mostFromTheFuture: 5,
  latestMs: 90_000,
  postgres: postgresServer(),
})

export default defineScenario({
  id: 'postgres-late-copies',
  story:
    'A copy of a message arrives after its retention, when its row has been deleted: a replayed log, a restored backup, a stuck outbox. ' +
    'A layer that finds no row cannot distinguish it from a new message, nor a redelivery that is as late.',
  shape: 'single',
  stores: ['postgres'],
  assumptions: [
    'one PostgreSQL server that keeps all commits',
    'all copies of a message carry the same payload',
    'the clock of PostgreSQL jumps forward by less than two seconds',
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
