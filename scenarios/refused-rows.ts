import fc from 'fast-check'
import type { PlannedFault } from '../src/contract/api/plan.ts'
import { defineScenario } from '../src/contract/api/scenario.ts'
import { besidesRedisKeys } from '../src/contract/api/verdict.ts'
import type { Scope } from '../src/run/faults/fault.ts'
import { atFirst } from '../src/sim/plans/aim.ts'
import { copyAtMs } from '../src/sim/plans/at-time.ts'
import { onPostgres, postgresServer } from '../src/sim/plans/postgres-plan.ts'
import { drawFault, plansOf, type Workload } from '../src/sim/plans/workload.ts'

/**
 * The first attempt gets no statement from the sink, because the sink refuses it permanently, or
 * fails.
 */
const turnedAway = fc
  .constantFrom('refuse', 'refuse', 'fail')
  .map((how): PlannedFault => ({ kind: 'effect-fails-before', how, ...atFirst('effect-unsent') }))

/** Copies that wait for the row of the first message, and copies that arrive later. */
const copies = fc
  .array(fc.oneof(fc.integer({ min: 1, max: 150 }), fc.integer({ min: 150, max: 6000 })), {
    minLength: 1,
    maxLength: 3,
    size: 'max',
  })
  .map((times) => times.map((ms) => copyAtMs(ms)))

const workload: Workload = {
  keys: 1,
  messages: 2,
  spanMs: 60,
  faults: ['lost-reply', 'lost-request', 'connection-reset', 'slow-postgres', 'crash', 'redelivery'],
  maxFaults: 2,
  effectMs: fc.integer({ min: 10, max: 100 }),
  postgres: postgresServer(),
  always: () => fc.tuple(turnedAway, copies).map(([one, more]) => [one, ...more]),
}

/** The database dies, or does not answer, when the refusal should be recorded. */
const unreported = plansOf({
  ...workload,
  leaseMs: fc.integer({ min: 500, max: 1500 }),
  maxFaults: 1,
  always: (scope: Scope) =>
    fc
      .tuple(
        fc.constantFrom('postgres-restart', 'slow-postgres').chain((kind) => drawFault(kind)(scope)),
        copies,
      )
      .map(([{ consumer: _, aim: __, near: ___, ...fault }, more]): PlannedFault[] => [
        { kind: 'effect-fails-before', how: 'refuse', ...atFirst('effect-unsent') },
        { ...fault, ...atFirst('effect-unsent'), healAfterMs: 2500 },
        ...more,
      ]),
})

export default defineScenario({
  id: 'refused-rows',
  story:
    'An effect of rows is refused for good, or fails, before any of them is written: its transaction is rolled back. ' +
    'Copies wait for it or arrive later, and the database may be unreachable when the refusal must be recorded. An answered refusal is final.',
  shape: 'single',
  stores: ['postgres'],
  onlySink: 'transactional',
  assumptions: [
    'one PostgreSQL server with synchronous_commit on, whose disk keeps all commits',
    'all copies of a message carry the same payload',
  ],
  invariants: besidesRedisKeys,
  goals: ['an-effect-failed-before-it-was-applied'],
  recoveryCapMs: 60_000,
  runMs: 6,
  plans: plansOf(workload).map(onPostgres),
  aimed: {
    every: 3,
    draws: [{ goals: ['an-effect-failed-before-it-was-applied'], plans: unreported.map(onPostgres) }],
  },
})
