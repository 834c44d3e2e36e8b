import fc from 'fast-check'
import type { Boundary, Plan, PlannedFault } from '../src/contract/api/plan.ts'
import { defineScenario } from '../src/contract/api/scenario.ts'
import type { Scope } from '../src/run/faults/fault.ts'
import { atNew, drawAtFirst } from '../src/sim/plans/aim.ts'
import { atMs } from '../src/sim/plans/at-time.ts'
import { lasting, plansOf, type Workload } from '../src/sim/plans/workload.ts'

const workload: Workload = {
  keys: 1,
  messages: 2,
  spanMs: 50,
  faults: ['duplicate-delivery', 'redelivery'],
  maxFaults: 2,
  leaseMs: fc.integer({ min: 500, max: 1500 }),
  visibilityMs: fc.integer({ min: 1000, max: 4000 }),
}

/** Redis's clock is minutes ahead from the beginning, and is corrected at `untilMs`. */
const aheadUntil = (byMs: number, untilMs: number): PlannedFault => ({
  kind: 'clock-step',
  ...atMs(0),
  machine: -1,
  byMs,
  healAfterMs: untilMs,
})

const byMs = fc.integer({ min: 180_000, max: 3_500_000 })

/**
 * A consumer that has raised a fence dies, and all records are lost. When the clock is right again,
 * only the sink knows how high the fence was.
 */
const lostAfterCrash =
  (lostMs: fc.Arbitrary<number>, ...at: Boundary[]) =>
  (scope: Scope) =>
    fc
      .record({
        byMs,
        crash: drawAtFirst('crash', ...at)(scope),
        goneMs: fc.integer({ min: 1, max: 800 }),
        lostMs,
        laterMs: fc.integer({ min: 1, max: 200 }),
      })
      .map(({ byMs, crash, goneMs, lostMs, laterMs }): PlannedFault[] => [
        aheadUntil(byMs, lostMs + laterMs),
        lasting(crash, goneMs),
        { kind: 'redis-flushed', ...atMs(lostMs) },
      ])

const lostWithTheFence: fc.Arbitrary<Plan> = plansOf({
  ...workload,
  always: lostAfterCrash(fc.integer({ min: 250, max: 700 }), 'effect-unsent', 'effect-unapplied'),
})

/**
 * The key arrives again before its records are lost. A consumer that asked the sink about the
 * effect may have barred the effect with a higher fence.
 */
const lostWithTheBar: fc.Arbitrary<Plan> = plansOf({
  ...workload,
  leaseMs: fc.constant(500),
  visibilityMs: fc.constant(1000),
  always: lostAfterCrash(fc.integer({ min: 1050, max: 2500 }), 'effect-unsent'),
})

/**
 * Redis does not reply for longer than any client waits, after a consumer has raised the fence. The
 * attempt ends before the clock is right again.
 */
const givenBackBefore: fc.Arbitrary<Plan> = plansOf({
  ...workload,
  always: () =>
    fc
      .record({
        byMs,
        nth: fc.integer({ min: 1, max: 4 }),
        silentMs: fc.integer({ min: 1200, max: 4000 }),
        laterMs: fc.integer({ min: 500, max: 2000 }),
      })
      .map(({ byMs, nth, silentMs, laterMs }) => [
        aheadUntil(byMs, 600 + silentMs + laterMs),
        { kind: 'slow-redis', ...atNew('command-unsent', nth), healAfterMs: silentMs },
      ]),
})

export default defineScenario({
  id: 'fences-after-loss',
  story:
    'The clock of Redis is minutes ahead while fences are issued and raised at the sink. Then records are lost or attempts abandoned, and the clock is corrected. ' +
    'The next fence must be above the highest that the sink has seen; otherwise the sink refuses all requests until the clock has caught up.',
  shape: 'single',
  onlySink: 'fenced',
  assumptions: [
    'one Redis server, which loses all of its data at most once',
    'all copies of a message carry the same payload',
    'the sink forgets neither fences nor effects',
  ],
  goals: ['a-clock-went-astray-while-a-delivery-was-open', 'a-message-was-redelivered'],
  recoveryCapMs: 60_000,
  runMs: 5,
  plans: fc.oneof(lostWithTheFence, givenBackBefore, lostWithTheBar),
})
