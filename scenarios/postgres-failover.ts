import fc from 'fast-check'
import { defineScenario } from '../src/contract/api/scenario.ts'
import { besidesRedisKeys } from '../src/contract/api/verdict.ts'
import { crashAtNewPoint } from '../src/run/faults/crash.ts'
import { atMs } from '../src/sim/plans/at-time.ts'
import { drawAtCommit, onPostgres, postgresServer } from '../src/sim/plans/postgres-plan.ts'
import { drawFault, lasting, plansOf, type Workload } from '../src/sim/plans/workload.ts'

const workload: Workload = {
  keys: 2,
  faults: [
    ...['postgres-failover', 'postgres-restart', 'slow-postgres', 'crash', 'connection-reset', 'lost-reply'],
    ...['partition', 'duplicate-delivery', 'redelivery'],
  ],
  postgres: postgresServer({ standby: fc.constant('synchronous') }),
}

/**
 * A commit waits for the standby when the server dies. When the server restarts, other sessions see
 * the commit. Then the server is lost.
 */
const seenBeforeTheStandbyHasIt = plansOf({
  ...workload,
  ...{ keys: 1, messages: 2, spanMs: 100, maxFaults: 1 },
  faults: ['duplicate-delivery', 'redelivery'],
  effectMs: fc.integer({ min: 1, max: 60 }),
  leaseMs: fc.integer({ min: 1000, max: 5000 }),
  postgres: postgresServer({
    recoveryMs: fc.constant(0),
    standby: fc.constant('synchronous'),
    standbyLagMs: fc.integer({ min: 150, max: 240 }),
  }),
  always: (scope) =>
    fc
      .tuple(
        drawFault('postgres-restart')(scope),
        fc.integer({ min: 100, max: 260 }),
        fc.integer({ min: 1, max: 30 }),
        drawFault('postgres-failover')(scope),
        fc.record({
          at: fc.constantFrom('answered' as const, 'acknowledged' as const),
          consumer: fc.nat({ max: 2 }),
          nth: fc.integer({ min: 1, max: 3 }),
        }),
      )
      .map(([restart, ms, healAfterMs, failover, when]) => [
        { ...lasting(restart, healAfterMs), ...atMs(ms) },
        { ...failover, when },
      ]),
}).map(onPostgres)

const besides = (always: NonNullable<Workload['always']>) => plansOf({ ...workload, always }).map(onPostgres)

export default defineScenario({
  id: 'postgres-failover',
  story:
    'PostgreSQL is lost with its disk, and a synchronous standby takes over: it has every commit that was answered. ' +
    'In one run of four it is up to 240 ms behind, and a server that dies meanwhile restarts with commits that others see but the standby lacks. ' +
    'Open transactions are lost. Only a read shows whether a COMMIT without an answer happened.',
  shape: 'single',
  stores: ['postgres'],
  assumptions: [
    'a PostgreSQL server with a synchronous standby that takes over its address; the lost server never comes back as a second primary',
    'all copies of a message carry the same payload',
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
      { goals: [], plans: seenBeforeTheStandbyHasIt },
    ],
  },
})
