import fc from 'fast-check'
import { defineScenario } from '../src/contract/api/scenario.ts'
import { atFirst, atNew, beyondTheLease, drawAtFirst } from '../src/sim/plans/aim.ts'
import { drawFault, lasting, plansOf, type Workload } from '../src/sim/plans/workload.ts'

const clocks = ['clock-step', 'clock-drift', 'clock-frozen']

const workload: Workload = {
  always: (scope) => fc.oneof(...clocks.map((kind) => drawFault(kind)(scope))),
  faults: [...clocks, 'pause', 'crash', 'redelivery', 'duplicate-delivery'],
  keys: 2,
}

const astray = 'a-clock-went-astray-while-a-delivery-was-open'

/**
 * A holder stops for longer than its lease while one clock is wrong. Only some layers trust that
 * clock.
 */
const lateByTheClock = plansOf({
  ...workload,
  keys: 1,
  always: (scope) =>
    fc.tuple(
      fc
        .tuple(
          fc.oneof(...clocks.map((kind) => drawAtFirst(kind, 'delivery-received', 'command-executed')(scope))),
          fc.integer({ min: 20_000, max: 60_000 }),
        )
        .map(([fault, healAfterMs]) => lasting(fault, healAfterMs)),
      drawAtFirst('pause', 'command-executed', 'effect-unsent', 'effect-unapplied')(scope).map(beyondTheLease),
      drawFault('redelivery')(scope),
    ),
})

/** The clocks of two consumers are minutes ahead when a holder dies after a possible effect. */
const minutesAhead = plansOf({
  ...workload,
  consumers: 3,
  keys: 1,
  always: (scope) =>
    fc
      .record({
        right: fc.nat({ max: 2 }),
        byMs: fc.integer({ min: 400_000, max: 3_600_000 }),
        healAfterMs: fc.integer({ min: 60_000, max: 90_000 }),
        crash: drawAtFirst('crash', 'effect-unapplied', 'effect-applied', 'effect-answered')(scope),
      })
      .map(({ right, crash, ...ahead }) => [
        ...[0, 1, 2]
          .filter((machine) => machine !== right)
          .map((machine) => ({ kind: 'clock-step', machine, ...ahead, ...atFirst('delivery-received') })),
        crash,
      ]),
})

/** Redis's clock is ahead while a key is taken, and then jumps back. The holder of the key dies. */
const setBack = plansOf({
  ...workload,
  keys: 1,
  always: () =>
    fc
      .record({
        byMs: fc.integer({ min: 120_000, max: 3_600_000 }),
        healAfterMs: fc.integer({ min: 20, max: 400 }),
        nth: fc.integer({ min: 2, max: 7 }),
        goneMs: fc.integer({ min: 51, max: 2000 }),
      })
      .map(({ nth, goneMs, ...ahead }) => [
        { kind: 'clock-step', machine: -1, ...ahead, ...atFirst('delivery-received') },
        { kind: 'crash', healAfterMs: goneMs, ...atNew('command-executed', nth) },
      ]),
})

/**
 * Redis's clock falls behind, and a holder stops for longer than its lease: by Redis's clock, the
 * holder is still in time.
 */
const inTimeForRedis = plansOf({
  ...workload,
  keys: 1,
  always: (scope) =>
    fc
      .record({
        behind: fc.oneof(
          fc.constant({ kind: 'clock-frozen' }),
          fc.integer({ min: 1000, max: 60_000 }).map((byMs) => ({ kind: 'clock-step', byMs: -byMs })),
        ),
        healAfterMs: fc.integer({ min: 20_000, max: 60_000 }),
        at: fc.constantFrom('command-unsent' as const, 'command-executed' as const, 'reply-received' as const),
        nth: fc.integer({ min: 1, max: 5 }),
        pause: drawFault('pause')(scope).map(beyondTheLease),
      })
      .map(({ behind, healAfterMs, at, nth, pause: { consumer: _, ...pause } }) => [
        { ...behind, machine: -1, healAfterMs, ...atNew('command-executed', nth) },
        { ...pause, ...atNew(at, nth) },
      ]),
})

export default defineScenario({
  id: 'clock-skew',
  story:
    'The clocks of consumers and of Redis disagree: they are wrong, run fast or slow, jump forward and backward as with NTP, or stop. ' +
    'A process that compares its time with the time of another machine is wrong about the holder of the key.',
  shape: 'single',
  assumptions: [
    'one Redis server that keeps its data',
    'all copies of a message carry the same payload',
    'the clock of Redis jumps by at most an hour',
  ],
  goals: [astray, 'a-message-was-redelivered'],
  recoveryCapMs: 60_000,
  runMs: 5.7,
  // `000-lua-acquire` and similar layers took up to 173 runs before their draws were aimed.
  minimumRuns: 100,
  plans: plansOf(workload),
  aimed: {
    every: 2,
    draws: [
      { goals: [astray, 'a-message-was-redelivered'], plans: lateByTheClock },
      { goals: [astray, 'a-message-was-redelivered'], plans: minutesAhead },
      { goals: [astray], plans: setBack },
      { goals: [astray], plans: inTimeForRedis },
    ],
  },
})
