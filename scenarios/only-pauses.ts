import fc from 'fast-check'
import type { Plan, PlannedFault } from '../src/contract/api/plan.ts'
import { defineScenario } from '../src/contract/api/scenario.ts'
import type { Scope } from '../src/run/faults/fault.ts'
import { atFirst, atNthOfAttempt, beforeNthOnKeys, drawAtFirst } from '../src/sim/plans/aim.ts'
import { purePlans, several } from '../src/sim/plans/pure-plans.ts'
import { drawFault, lasting } from '../src/sim/plans/workload.ts'

const visibilityMs = fc.integer({ min: 5500, max: 9000 })
const atWork = ['command-executed', 'effect-unsent', 'effect-unapplied', 'effect-applied'] as const

/** A pause that is longer than any lock is held, as if the machine were suspended. */
const suspended = (scope: Scope) =>
  fc
    .tuple(drawAtFirst('pause', ...atWork)(scope), fc.integer({ min: 301_000, max: 900_000 }))
    .map(([pause, healAfterMs]) => lasting(pause, healAfterMs))

/**
 * An attempt stops before its nth command for longer than its lease. The broker does not redeliver
 * its message before that.
 */
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

/**
 * A holder stops. A second attempt finds that the lease is over, and stops between its read and its
 * write. A third attempt performs its effect and then stops. The broker delivers the message once
 * more after the second attempt's write. `first`, `second`: the number of the command before which
 * the holder and the second attempt stop.
 */
const twoTakers = (first: number, second: number) =>
  fc
    .tuple(
      purePlans({ visibilityMs, faults: () => fc.constant([]) }),
      fc.record({ leaseMs: fc.integer({ min: 1000, max: 2000 }), extraMs: fc.integer({ min: 500, max: 2000 }) }),
    )
    .map(([plan, { leaseMs, extraMs }]): Plan => {
      const pause = (healAfterMs: number, where: Pick<PlannedFault, 'when'>) => ({
        kind: 'pause',
        healAfterMs,
        ...where,
      })
      return {
        ...plan,
        ...{ leaseMs, serial: true, messages: plan.messages.slice(0, 1) },
        faults: [
          pause(60_000, beforeNthOnKeys(first, false)),
          pause(plan.visibilityMs + extraMs, beforeNthOnKeys(second, true)),
          pause(60_000, atFirst('effect-applied')),
        ],
      }
    })

export default defineScenario({
  id: 'only-pauses',
  story:
    'Consumers stall for a while, as in a long garbage collection, and go on. The broker has redelivered their messages by then. ' +
    'Nothing else happens. A lock that expires does not stop a holder that still believes in it.',
  shape: 'single',
  stores: ['redis', 'postgres', 'dynamodb'],
  onlyFaults: ['pause'],
  assumptions: [
    'one server that keeps its data',
    'no message is copied, and the broker redelivers only after its visibility timeout',
    'no process, connection, clock or server fails',
  ],
  goals: ['a-paused-process-resumed-after-its-lease', 'a-message-was-redelivered', 'an-effect-was-taken-back'],
  recoveryCapMs: 60_000,
  runMs: 3.6,
  // All aimed draws are played twice. `002-check-and-set` takes up to 13 runs.
  minimumRuns: 52,
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
      { goals: [], plans: twoTakers(3, 2) },
      { goals: [], plans: twoTakers(2, 2) },
      { goals: [], plans: twoTakers(2, 3) },
      { goals: [], plans: twoTakers(4, 3) },
    ],
  },
})
