import fc from 'fast-check'
import type { Plan } from '../src/contract/api/plan.ts'
import { defineScenario } from '../src/contract/api/scenario.ts'
import type { Scope } from '../src/run/faults/fault.ts'
import { atNthOfAttempt, drawAtFirst } from '../src/sim/plans/aim.ts'
import { purePlans, several } from '../src/sim/plans/pure-plans.ts'
import { drawFault, lasting } from '../src/sim/plans/workload.ts'

const visibilityMs = fc.integer({ min: 5500, max: 9000 })
const atWork = ['command-executed', 'effect-unsent', 'effect-unapplied', 'effect-applied'] as const

/** Longer than any lock is held: a suspended machine. */
const suspended = (scope: Scope) =>
  fc
    .tuple(drawAtFirst('pause', ...atWork)(scope), fc.integer({ min: 301_000, max: 900_000 }))
    .map(([pause, healAfterMs]) => lasting(pause, healAfterMs))

/** An attempt stops before its nth command, for longer than its lease. The broker waits. */
const beforeCommand = (nth: fc.Arbitrary<number>) =>
  purePlans({
    visibilityMs,
    faults: () =>
      fc
        .tuple(nth, fc.integer({ min: 50, max: 400 }))
        .map(([n, byMs]) => [
          { kind: 'pause', healAfterMs: 1000, near: { limit: 0, byMs }, ...atNthOfAttempt('command-unsent', n) },
        ]),
  }).map((plan): Plan => ({ ...plan, serial: true }))

export default defineScenario({
  id: 'only-pauses',
  story:
    'Consumers stop for a while, as in a long garbage collection, and go on as if nothing had been. The broker has handed their messages to others by then. ' +
    'Nothing else happens. A lock that ends by itself does not stop a holder that still believes in it.',
  shape: 'single',
  stores: ['redis', 'postgres', 'dynamodb'],
  onlyFaults: ['pause'],
  assumptions: [
    'one server that keeps its data',
    'no message is copied, and the broker hands it out again only after its visibility time-out',
    'no process, connection, clock or server fails',
  ],
  goals: ['a-paused-process-resumed-after-its-lease', 'a-message-was-redelivered', 'an-effect-was-taken-back'],
  recoveryCapMs: 60_000,
  runMs: 3.6,
  // Before each command of an attempt, twice. `002-check-and-set` takes up to 13 runs.
  minimumRuns: 36,
  plans: purePlans({
    visibilityMs,
    faults: (scope) =>
      several(fc.oneof(drawFault('pause')(scope), drawAtFirst('pause', ...atWork)(scope), suspended(scope)), 3),
  }),
  aimed: {
    every: 2,
    draws: [
      ...[2, 3, 4, 5, 6, 7, 8, 9].map((nth) => ({ goals: [], plans: beforeCommand(fc.constant(nth)) })),
      { goals: [], plans: beforeCommand(fc.integer({ min: 10, max: 20 })) },
    ],
  },
})
