import fc from 'fast-check'
import { defineScenario } from '../src/contract/api/scenario.ts'
import { besidesRedisKeys } from '../src/contract/api/verdict.ts'
import { drawAtCommit, onPostgres, postgresServer } from '../src/sim/plans/postgres-plan.ts'
import { drawFault, plansOf, type Workload } from '../src/sim/plans/workload.ts'

const workload: Workload = {
  keys: 2,
  faults: ['postgres-restart', 'crash', 'duplicate-delivery', 'redelivery', 'lost-reply'],
  postgres: postgresServer({ synchronousCommit: fc.constant(false) }),
}

export default defineScenario({
  id: 'postgres-lost-commits',
  story:
    'PostgreSQL runs with synchronous_commit off: it answers COMMIT before the commit is on disk, and a crash within the next 600 ms loses it. ' +
    'Record and effect may both be lost after a consumer has read them.',
  shape: 'single',
  stores: ['postgres'],
  assumptions: [
    'one PostgreSQL server with synchronous_commit off; a transaction that must not be lost must switch it on',
    'all copies of a message carry the same payload',
  ],
  invariants: besidesRedisKeys,
  goals: ['a-database-died-while-a-delivery-was-open'],
  recoveryCapMs: 60_000,
  runMs: 7,
  plans: plansOf({
    ...workload,
    always: (scope) =>
      fc.oneof(drawAtCommit('postgres-restart', 'command-executed')(scope), drawFault('postgres-restart')(scope)),
  }).map(onPostgres),
})
