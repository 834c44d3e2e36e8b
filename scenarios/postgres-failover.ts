import fc from 'fast-check'
import { defineScenario } from '../src/contract/api/scenario.ts'
import { besidesRedisKeys } from '../src/contract/api/verdict.ts'
import { crashAtNewPoint } from '../src/run/faults/crash.ts'
import { drawAtCommit, onPostgres, postgresServer } from '../src/sim/plans/postgres-plan.ts'
import { drawFault, plansOf, type Workload } from '../src/sim/plans/workload.ts'

const workload: Workload = {
  keys: 2,
  faults: [
    ...['postgres-failover', 'postgres-restart', 'slow-postgres', 'crash', 'connection-reset', 'lost-reply'],
    ...['partition', 'duplicate-delivery', 'redelivery'],
  ],
  postgres: postgresServer({ standby: fc.constant('synchronous') }),
}

const besides = (always: NonNullable<Workload['always']>) => plansOf({ ...workload, always }).map(onPostgres)

export default defineScenario({
  id: 'postgres-failover',
  story:
    'PostgreSQL is lost with its disk, and a synchronous standby takes its place: it has every commit that was answered. ' +
    'Transactions that were open are gone, and whether a COMMIT without an answer happened only a look can tell.',
  shape: 'single',
  stores: ['postgres'],
  assumptions: [
    'a PostgreSQL server with a synchronous standby that takes over its address; the lost server never comes back as a second primary',
    'every copy of a message carries the same payload',
  ],
  invariants: besidesRedisKeys,
  goals: ['a-commit-was-in-doubt', 'a-database-died-while-a-delivery-was-open'],
  recoveryCapMs: 60_000,
  runMs: 7,
  plans: besides((scope) => fc.oneof(drawFault('postgres-failover')(scope), crashAtNewPoint())),
  aimed: {
    every: 2,
    draws: [
      {
        goals: ['a-commit-was-in-doubt'],
        plans: besides((scope) =>
          fc.oneof(
            drawAtCommit('lost-reply', 'command-executed')(scope),
            drawAtCommit('crash', 'command-executed')(scope),
          ),
        ),
      },
    ],
  },
})
