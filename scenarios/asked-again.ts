import fc from 'fast-check'
import { givenUpTooLate } from '../src/check/own/given-up-too-late.ts'
import { givenUpTooSoon } from '../src/check/own/given-up-too-soon.ts'
import type { Plan, PlannedFault } from '../src/contract/api/plan.ts'
import { defineScenario } from '../src/contract/api/scenario.ts'
import { invariantNames } from '../src/contract/api/verdict.ts'
import { plainOrder } from '../src/sim/plans/orders.ts'
import { plansOf, type Workload } from '../src/sim/plans/workload.ts'

const workload: Workload = {
  messages: 1,
  spanMs: 20,
  consumers: 1,
  serial: fc.constant(false),
  pace: fc.constant({}),
  keyStyle: fc.constant('plain'),
  faults: [],
}

const leaseMs = fc.integer({ min: 800, max: 1000 })

/**
 * The link to Redis is slow while one command is sent. When the command arrives, the consumer's
 * client has timed out, reconnected and sent the command again, and the consumer has continued with
 * its effect. The consumer dies when its effect has just been applied.
 */
const overtaken = plansOf({
  ...workload,
  visibilityMs: fc.integer({ min: 2000, max: 4000 }),
  leaseMs,
  effectMs: fc.integer({ min: 500, max: 1000 }),
  effectTimeoutMs: fc.constant(3000),
  always: () =>
    fc
      .record({
        nth: fc.integer({ min: 1, max: 4 }),
        extraMs: fc.integer({ min: 450, max: 900 }),
        healAfterMs: fc.integer({ min: 10, max: 150 }),
        goneMs: fc.integer({ min: 1, max: 500 }),
      })
      .map(({ nth, goneMs, ...slow }): PlannedFault[] => [
        { kind: 'slow-link', when: { at: 'command-unsent', consumer: 0, nth }, node: 'redis', ...slow },
        { kind: 'crash', when: { at: 'effect-applied', consumer: 0, nth: 1 }, healAfterMs: goneMs },
      ]),
})

/** The sink is fast and the visibility timeout is long, so only Redis causes delays. */
const quick: Workload = {
  ...workload,
  visibilityMs: fc.constant(30_000),
  effectMs: fc.integer({ min: 1, max: 50 }),
}

/** The trigger: the only consumer's nth command has been executed. */
const executed = (nth: number) => ({ at: 'command-executed', consumer: 0, nth }) as const

/**
 * The number of commands on the consumer's connections before `reference-gives-up` counts its last
 * attempt at the key.
 */
const lastCounts = 12

/**
 * Redis does not reply once, for longer than any client waits, while an attempt is counted or
 * begins. The key is one for which `reference-gives-up` needs all of its attempts. If an attempt
 * that failed because of Redis is counted, no attempt is left.
 */
const silent = plansOf({
  ...quick,
  leaseMs,
  always: () =>
    fc
      .record({
        nth: fc.oneof(
          fc.integer({ min: 3, max: 8 }),
          fc.constant(lastCounts),
          fc.integer({ min: lastCounts, max: lastCounts + 3 }),
        ),
        healAfterMs: fc.integer({ min: 4000, max: 8000 }),
      })
      .map(({ nth, healAfterMs }) => ({
        kind: 'slow-redis',
        when: executed(nth),
        healAfterMs,
      })),
})

/**
 * One reply is lost, and its command is sent again. In some plans, the command counts an attempt at
 * a key for which `reference-gives-up` needs all attempts.
 */
const unheard = plansOf({
  ...quick,
  always: () =>
    fc
      .record({
        nth: fc.oneof(fc.integer({ min: 3, max: 8 }), fc.integer({ min: lastCounts - 1, max: lastCounts + 3 })),
      })
      .map(({ nth }): PlannedFault => ({ kind: 'lost-reply', when: executed(nth) })),
})

/**
 * The count of an attempt that failed because of Redis is undone when Redis answers again. The
 * reply to the command that undoes the count is lost, and the command is sent again.
 */
const takenBackUnheard = plansOf({
  ...quick,
  leaseMs,
  always: () =>
    fc
      .record({
        silent: fc.integer({ min: lastCounts - 1, max: lastCounts + 1 }),
        healAfterMs: fc.integer({ min: 1000, max: 5000 }),
        unheard: fc.integer({ min: lastCounts + 4, max: lastCounts + 8 }),
      })
      .map(({ silent, healAfterMs, unheard }): PlannedFault[] => [
        { kind: 'slow-redis', when: executed(silent), healAfterMs },
        { kind: 'lost-reply', when: executed(unheard) },
      ]),
})

/**
 * The first attempt at a key fails because of Redis, before the consumer knows that the attempt was
 * counted. The link is slow while the count is undone, so the client sends the command that undoes
 * it twice. The first copy is executed after a later attempt was counted.
 */
const takenBackLate = plansOf({
  ...quick,
  leaseMs,
  always: () =>
    fc
      .record({
        silent: fc.integer({ min: 2, max: 3 }),
        silentMs: fc.integer({ min: 700, max: 1200 }),
        nth: fc.constantFrom(5, 6, 6, 7),
        extraMs: fc.integer({ min: 500, max: 2500 }),
        healAfterMs: fc.integer({ min: 10, max: 100 }),
      })
      .map(({ silent, silentMs, nth, ...slow }): PlannedFault[] => [
        { kind: 'slow-redis', when: executed(silent), healAfterMs: silentMs },
        { kind: 'slow-link', when: { at: 'command-unsent', consumer: 0, nth }, node: 'redis', ...slow },
      ]),
})

const ofOne = (plan: Plan): Plan => ({ ...plan, messages: [plainOrder(2, 10)] })

export default defineScenario({
  id: 'asked-again',
  story:
    'Redis or the network is so slow for a moment that a client times out and repeats its command. The first command is executed later, ' +
    'when its attempt has moved on or ended; or it was executed at once, and only its reply was lost.',
  shape: 'single',
  assumptions: ['one Redis server that keeps its data', 'all copies of a message carry the same payload'],
  goals: ['a-command-was-executed-after-its-client-had-given-up'],
  recoveryCapMs: 60_000,
  runMs: 4,
  // `canary-counts-what-is-asked-again` takes up to 110 runs.
  minimumRuns: 120,
  invariants: [...invariantNames, givenUpTooSoon, givenUpTooLate],
  plans: fc
    .oneof(
      { weight: 2, arbitrary: overtaken },
      { weight: 2, arbitrary: silent },
      { weight: 2, arbitrary: unheard },
      { weight: 3, arbitrary: takenBackUnheard },
    )
    .map(ofOne),
  aimed: {
    every: 6,
    draws: [{ goals: ['a-command-was-executed-after-its-client-had-given-up'], plans: takenBackLate.map(ofOne) }],
  },
})
