import fc from 'fast-check'
import { defineScenario } from '../src/contract/api/scenario.ts'
import { drawAtFirst } from '../src/sim/plans/aim.ts'
import { purePlans } from '../src/sim/plans/pure-plans.ts'
import { drawFault } from '../src/sim/plans/workload.ts'

/** One jump of less than an hour, because steps of a clock add up. */
const byMs = fc.oneof(fc.integer({ min: -5000, max: 5000 }), fc.integer({ min: -3_500_000, max: 3_500_000 }))

export default defineScenario({
  id: 'only-redis-clock',
  story:
    'The clock of Redis jumps by up to an hour, and jumps back: keys expire early or late. Every key arrives a second time while the first message is being handled. ' +
    'Nothing else happens. A lock is only as good as the clock that ends it.',
  shape: 'single',
  onlyFaults: ['clock-step'],
  assumptions: [
    'one Redis server that keeps its data',
    'all copies of a message carry the same payload',
    'no process, connection or server fails, and the clocks of consumers are right',
    'the clock of Redis jumps once, by less than an hour',
  ],
  goals: ['a-clock-went-astray-while-a-delivery-was-open'],
  recoveryCapMs: 60_000,
  runMs: 4.5,
  // `000-decorator` takes up to 17 runs.
  minimumRuns: 40,
  plans: purePlans({
    againAfterMs: fc.integer({ min: 80, max: 150 }),
    effectMs: fc.integer({ min: 200, max: 400 }),
    faults: (scope) =>
      fc
        .tuple(
          fc.oneof(
            { weight: 1, arbitrary: drawFault('clock-step')(scope) },
            { weight: 3, arbitrary: drawAtFirst('clock-step', 'effect-unapplied')(scope) },
          ),
          byMs,
        )
        .map(([step, byMs]) => [{ ...step, machine: -1, byMs }]),
  }),
})
