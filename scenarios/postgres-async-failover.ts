import fc from 'fast-check'
import { defineScenario } from '../src/contract/api/scenario.ts'
import { besidesRedisKeys } from '../src/contract/api/verdict.ts'
import { drawAtFirst } from '../src/sim/plans/aim.ts'
import { clockBehind } from '../src/sim/plans/clock-behind.ts'
import { drawAtCommit, onPostgres, postgresServer } from '../src/sim/plans/postgres-plan.ts'
import { withinSkewText } from '../src/sim/plans/skew.ts'
import { drawFault, plansOf, type Workload } from '../src/sim/plans/workload.ts'

const workload: Workload = {
  keys: 2,
  faults: ['postgres-failover', 'crash', 'duplicate-delivery', 'redelivery', 'lost-reply'],
  postgres: postgresServer({ standby: fc.constant('asynchronous') }),
}

const lostBehind = clockBehind(
  { ...workload, faults: [] },
  drawAtFirst('postgres-failover', 'answered', 'acknowledged'),
).map(onPostgres)

export default defineScenario({
  id: 'postgres-async-failover',
  story:
    'PostgreSQL is lost with its disk, and an asynchronous standby takes over without the commits of the last 600 ms. ' +
    'Record and effect may both be lost after a caller got the answer done.',
  shape: 'single',
  stores: ['postgres'],
  assumptions: [
    'a PostgreSQL server with an asynchronous standby, up to 600 ms behind, that takes over its address; the lost server never comes back',
    'all copies of a message carry the same payload',
    withinSkewText.replace('Redis', 'PostgreSQL'),
  ],
  invariants: besidesRedisKeys,
  goals: ['a-failover-lost-commits', 'a-database-died-while-a-delivery-was-open'],
  recoveryCapMs: 60_000,
  runMs: 7,
  plans: plansOf({
    ...workload,
    always: (scope) =>
      fc.oneof(drawAtCommit('postgres-failover', 'command-executed')(scope), drawFault('postgres-failover')(scope)),
  }).map(onPostgres),
  aimed: { every: 4, draws: [{ goals: [], plans: lostBehind }] },
})
