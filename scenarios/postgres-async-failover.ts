import fc from 'fast-check'
import { defineScenario } from '../src/contract/scenario.ts'
import { drawAtFirst } from '../src/sim/plans/aim.ts'
import { drawAtCommit, onPostgres, postgresServer } from '../src/sim/plans/postgres-plan.ts'
import { redisClockOff, stampsWithinSkew, withinSkewText } from '../src/sim/plans/skew.ts'
import { drawFault, lasting, plansOf, type Workload } from '../src/sim/plans/workload.ts'

const workload: Workload = {
  keys: 2,
  faults: ['postgres-failover', 'crash', 'duplicate-delivery', 'redelivery', 'lost-reply'],
  postgres: postgresServer({ standby: fc.constant('asynchronous') }),
}

/**
 * PostgreSQL's clock is as far behind as it may be: what is lost was younger, by that clock, than the timeline that begins. As
 * `clockBehind` of `redis-restart`.
 */
const clockBehind = plansOf({
  ...workload,
  keys: 1,
  messages: 1,
  spanMs: 100,
  faults: [],
  stampOffMs: stampsWithinSkew,
  always: (scope) =>
    fc
      .tuple(
        fc.integer({ min: -590, max: -450 }),
        drawAtFirst('postgres-failover', 'answered', 'acknowledged')(scope),
        fc.array(fc.integer({ min: 100, max: 500 }), { minLength: 2, maxLength: 3 }),
      )
      .map(([byMs, failover, copiesMs]) => [
        redisClockOff(byMs),
        lasting(failover, 1),
        ...copiesMs.map((ms) => ({ kind: 'duplicate-delivery', when: { at: 'time' as const, ms }, message: 0 })),
      ]),
})

export default defineScenario({
  id: 'postgres-async-failover',
  story:
    'PostgreSQL is lost with its disk, and an asynchronous standby takes its place without the commits of the last 600 ms. ' +
    'Record and effect may both be gone after a caller was answered that they were done.',
  shape: 'single',
  stores: ['postgres'],
  assumptions: [
    'a PostgreSQL server with an asynchronous standby, up to 600 ms behind, that takes over its address; the lost server never comes back',
    'every copy of a message carries the same payload',
    withinSkewText.replace('Redis', 'PostgreSQL'),
  ],
  // Rows that nobody deletes are not judged: `no-immortal-keys` asks Redis.
  invariants: [
    ...(['at-most-once', 'no-lost-message', 'no-needless-park', 'no-false-done'] as const),
    ...(['same-result', 'payload-bound', 'bounded-stall'] as const),
  ],
  goals: ['a-failover-lost-commits', 'a-database-died-while-a-delivery-was-open'],
  recoveryCapMs: 60_000,
  runMs: 7,
  plans: plansOf({
    ...workload,
    always: (scope) =>
      fc.oneof(drawAtCommit('postgres-failover', 'command-executed')(scope), drawFault('postgres-failover')(scope)),
  }).map(onPostgres),
  aimed: { every: 4, draws: [{ goals: [], plans: clockBehind.map(onPostgres) }] },
})
