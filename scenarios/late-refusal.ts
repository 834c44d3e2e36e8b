import fc from 'fast-check'
import type { PlannedFault } from '../src/contract/api/plan.ts'
import { defineScenario } from '../src/contract/api/scenario.ts'
import { atFirst } from '../src/sim/plans/aim.ts'
import { copyAtMs } from '../src/sim/plans/at-time.ts'
import { plansOf } from '../src/sim/plans/workload.ts'

export default defineScenario({
  id: 'late-refusal',
  story:
    'The sink refuses for good the request of a stalled holder. When the holder goes on and gets the refusal, its lease has ended, ' +
    'and another holder has a request in flight.',
  shape: 'single',
  stores: ['redis', 'postgres', 'dynamodb'],
  // With a transactional sink, the effect is a row that the layer itself writes by a statement.
  notOnSink: 'transactional',
  assumptions: ['one server that keeps its data', 'all copies of a message carry the same payload'],
  goals: ['a-paused-process-resumed-after-its-lease'],
  recoveryCapMs: 60_000,
  // `canary-refuses-for-another` takes up to 3 runs.
  minimumRuns: 20,
  runMs: 4,
  plans: plansOf({
    keys: 1,
    messages: 1,
    spanMs: 20,
    consumers: 3,
    serial: fc.constant(false),
    pace: fc.constant({}),
    faults: [],
    leaseMs: fc.integer({ min: 300, max: 700 }),
    // The next holder's request takes longer than the rest of the first holder's pause.
    effectMs: fc.integer({ min: 400, max: 1500 }),
    effectTimeoutMs: fc.integer({ min: 8000, max: 10_000 }),
    always: () =>
      fc
        .record({
          byMs: fc.integer({ min: 100, max: 1200 }),
          copyMs: fc.array(fc.integer({ min: 30, max: 400 }), { minLength: 1, maxLength: 2, size: 'max' }),
        })
        .map(({ byMs, copyMs }): PlannedFault[] => [
          { kind: 'effect-fails-before', how: 'refuse', ...atFirst('effect-unapplied') },
          { kind: 'pause', ...atFirst('effect-unapplied'), healAfterMs: 1000, near: { limit: 0, byMs } },
          ...copyMs.map((ms) => copyAtMs(ms)),
        ]),
  }),
})
