import fc from 'fast-check'
import { defineScenario } from '../src/contract/api/scenario.ts'
import { besidesRedisKeys } from '../src/contract/api/verdict.ts'
import { crashAtNewPoint } from '../src/run/faults/crash.ts'
import { copyAtMs } from '../src/sim/plans/at-time.ts'
import { drawAtCommit, onPostgres, postgresServer } from '../src/sim/plans/postgres-plan.ts'
import { drawFault, plansOf, type Workload } from '../src/sim/plans/workload.ts'

const workload: Workload = {
  keys: 2,
  faults: [
    ...['postgres-restart', 'slow-postgres', 'postgres-connections', 'crash', 'connection-reset', 'lost-reply'],
    ...['lost-request', 'partition', 'slow-link', 'clock-step', 'duplicate-delivery', 'redelivery'],
  ],
  postgres: postgresServer(),
}

const besides = (always: NonNullable<Workload['always']>) => plansOf({ ...workload, always }).map(onPostgres)

/** The reply to a COMMIT is lost, because the connection, the server or the process fails. */
const inDoubt = besides((scope) =>
  fc.oneof(
    drawAtCommit('lost-reply', 'command-executed')(scope),
    drawAtCommit('postgres-restart', 'command-executed')(scope),
    drawAtCommit('crash', 'command-executed')(scope),
  ),
)

/** A COMMIT is never executed: the request is lost, or the server dies first. */
const neverExecuted = besides((scope) =>
  fc.oneof(
    drawAtCommit('postgres-restart', 'command-unexecuted')(scope),
    drawAtCommit('lost-request', 'command-unexecuted')(scope),
  ),
)

/**
 * A COMMIT is never executed, and a copy waits for its row. The copy then takes the key and writes
 * the final record.
 */
const copyWaits = plansOf({
  ...workload,
  keys: 1,
  messages: 3,
  spanMs: 60,
  serial: fc.constant(false),
  pace: fc.constant({}),
  // Short effects keep the waits below the time limits. Two sessions wait: that of a copy, which
  // waits for the row, and one that checks the record.
  effectMs: fc.integer({ min: 20, max: 100 }),
  maxFaults: 1,
  always: (scope) =>
    fc
      .tuple(drawAtCommit('lost-request', 'command-unexecuted')(scope), fc.integer({ min: 1, max: 80 }))
      .map(([lost, ms]) => [lost, copyAtMs(ms)]),
}).map(onPostgres)

export default defineScenario({
  id: 'postgres-crash',
  story:
    'PostgreSQL dies while transactions are open, connections break before, during and after COMMIT, and consumers are killed between two statements. ' +
    'A client without a reply to its COMMIT must read the database to know whether it happened.',
  shape: 'single',
  stores: ['postgres'],
  assumptions: [
    'one PostgreSQL server with synchronous_commit on, whose disk keeps all commits',
    'all copies of a message carry the same payload',
  ],
  invariants: besidesRedisKeys,
  goals: ['a-commit-was-in-doubt', 'a-commit-was-never-executed', 'a-database-died-while-a-delivery-was-open'],
  recoveryCapMs: 60_000,
  runMs: 6.6,
  // `canary-only-slow-postgres` takes up to 151 runs.
  minimumRuns: 160,
  plans: besides((scope) => fc.oneof(drawFault('postgres-restart')(scope), crashAtNewPoint())),
  aimed: {
    every: 2,
    draws: [
      { goals: ['a-commit-was-in-doubt'], plans: inDoubt },
      { goals: ['a-commit-was-never-executed'], plans: fc.oneof(neverExecuted, copyWaits) },
    ],
  },
})
