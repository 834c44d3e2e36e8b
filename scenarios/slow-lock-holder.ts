import fc from 'fast-check'
import { defineScenario } from '../src/contract/api/scenario.ts'
import { atFirst, atNew, atNthOfAttempt, beyondTheLease, drawAtFirst } from '../src/sim/plans/aim.ts'
import { copyAtMs } from '../src/sim/plans/at-time.ts'
import { drawFault, plansOf, type Workload } from '../src/sim/plans/workload.ts'

const workload: Workload = {
  always: (scope) => fc.oneof(drawFault('pause')(scope), drawFault('slow-effect')(scope)),
  faults: ['pause', 'slow-effect', 'redelivery', 'duplicate-delivery', 'slow-link'],
  maxFaults: 3,
  keys: 2,
  leaseMs: fc.integer({ min: 200, max: 3000 }),
  visibilityMs: fc.integer({ min: 500, max: 8000 }),
}

const outlived = ['a-holder-outlived-its-lease', 'a-paused-process-resumed-after-its-lease']

/** A holder stops for a little longer than its lease. */
const stoppedAnywhere = plansOf({
  ...workload,
  always: (scope) =>
    drawAtFirst(
      'pause',
      'command-executed',
      'effect-unsent',
      'effect-unapplied',
      'effect-applied',
    )(scope).map(beyondTheLease),
})

/**
 * A holder stops between two commands until another attempt has taken over the key and is working
 * on it.
 */
const overtaken = plansOf({
  ...workload,
  keys: 1,
  always: () =>
    fc
      .record({
        at: fc.constantFrom('command-unsent' as const, 'command-executed' as const, 'reply-received' as const),
        nth: fc.integer({ min: 2, max: 7 }),
        byMs: fc.integer({ min: 100, max: 1500 }),
        extraMs: fc.integer({ min: 300, max: 2500 }),
        copyMs: fc.nat({ max: 400 }),
      })
      .map(({ at, nth, byMs, extraMs, copyMs }) => [
        { kind: 'pause', healAfterMs: 1000, near: { limit: 0, byMs }, ...atNew(at, nth) },
        { kind: 'slow-effect', extraMs, ...atFirst('effect-unapplied') },
        copyAtMs(copyMs),
      ]),
})

/**
 * Before its nth command, a holder stops for a little longer than its lease, but not until the
 * broker redelivers. `copyMs`: when a copy of the message arrives during the pause; null for no
 * copy.
 */
const beforeCommand = (nth: number, copyMs: fc.Arbitrary<number | null>) =>
  plansOf({
    ...workload,
    serial: fc.constant(true),
    keys: 1,
    messages: 1,
    pace: fc.constant({}),
    visibilityMs: fc.integer({ min: 4500, max: 8000 }),
    always: () =>
      fc
        .tuple(fc.integer({ min: 50, max: 400 }), copyMs)
        .map(([byMs, copy]) => [
          { kind: 'pause', healAfterMs: 1000, near: { limit: 0, byMs }, ...atNthOfAttempt('command-unsent', nth) },
          ...(copy === null ? [] : [copyAtMs(copy)]),
        ]),
    faults: [],
  })

/**
 * No process stops, but the sink takes longer than the lease, for the first or second request of
 * each consumer.
 */
const slowSink = plansOf({
  ...workload,
  consumers: 3,
  leaseMs: fc.integer({ min: 200, max: 400 }),
  always: () =>
    fc
      .record({ nth: fc.constantFrom(1, 1, 1, 2), extraMs: fc.integer({ min: 500, max: 900 }) })
      .map(({ nth, extraMs }) =>
        [0, 1, 2].map((consumer) => {
          return { kind: 'slow-effect', extraMs, when: { at: 'effect-unapplied' as const, consumer, nth } }
        }),
      ),
  faults: ['slow-effect', 'redelivery', 'duplicate-delivery', 'slow-link'],
})

/** The sink is fast, but it answers one request of each consumer late. */
const slowOnce = plansOf({
  ...workload,
  consumers: 2,
  messages: 8,
  keys: 6,
  effectMs: fc.integer({ min: 1, max: 50 }),
  effectTimeoutMs: fc.integer({ min: 1500, max: 4000 }),
  pace: fc.constant({}),
  always: () =>
    fc
      .record({ nth: fc.integer({ min: 2, max: 3 }), extraMs: fc.integer({ min: 350, max: 1400 }) })
      .map(({ nth, extraMs }) =>
        [0, 1].map((consumer) => {
          return { kind: 'slow-effect', extraMs, when: { at: 'effect-unapplied' as const, consumer, nth } }
        }),
      ),
  faults: ['redelivery', 'duplicate-delivery'],
})

/**
 * These draws are repeated for each nth command, so they are played more often than
 * `beforeCommand`.
 */
const usual = [
  { goals: outlived, plans: stoppedAnywhere },
  { goals: outlived, plans: overtaken },
  { goals: ['a-holder-outlived-its-lease'], plans: slowSink },
  { goals: [], plans: slowOnce },
]

export default defineScenario({
  id: 'slow-lock-holder',
  story:
    'A consumer that holds the lock stalls for longer than its lease (a garbage collection, a suspended machine, a slow sink) and goes on ' +
    'after another one has taken over.',
  shape: 'single',
  elsewhere: 'only-pauses stops an attempt there before each of its commands, for longer than its lease',
  assumptions: ['one Redis server that keeps its data', 'all copies of a message carry the same payload'],
  goals: outlived,
  recoveryCapMs: 60_000,
  runMs: 4.1,
  // `canary-only-pause` takes up to 139 runs. All aimed draws are played twice.
  minimumRuns: 192,
  plans: plansOf(workload),
  aimed: {
    every: 2,
    draws: [2, 3, 4, 5, 6, 7, 8, 9].flatMap((nth) => [
      ...usual,
      { goals: [], plans: beforeCommand(nth, fc.constant(null)) },
      { goals: [], plans: beforeCommand(nth, fc.integer({ min: 200, max: 2000 })) },
    ]),
  },
})
