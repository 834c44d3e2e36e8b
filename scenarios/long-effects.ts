import fc from 'fast-check'
import { vanishedAtWork } from '../src/check/own/vanished-at-work.ts'
import { defineScenario } from '../src/contract/api/scenario.ts'
import { invariantNames } from '../src/contract/api/verdict.ts'
import { plainOrder } from '../src/sim/plans/orders.ts'
import { plansOf } from '../src/sim/plans/workload.ts'

export default defineScenario({
  id: 'long-effects',
  story:
    'The sink works on each effect for longer than a lease, without a fault. Producers send keys twice: the consumer of the second message ' +
    'waits for the first one.',
  shape: 'single',
  assumptions: ['one server that keeps its data', 'all copies of a message carry the same payload'],
  invariants: [...invariantNames, vanishedAtWork],
  goals: ['an-effect-outlived-the-lease'],
  recoveryCapMs: 60_000,
  runMs: 4,
  // `000-get-set-record` takes up to 84 runs.
  minimumRuns: 90,
  plans: fc
    .tuple(
      plansOf({
        messages: 1,
        consumers: 2,
        serial: fc.constant(false),
        pace: fc.constant({}),
        faults: [],
        leaseMs: fc.integer({ min: 300, max: 700 }),
        visibilityMs: fc.constant(20_000),
        effectMs: fc.integer({ min: 1500, max: 4000 }),
        effectTimeoutMs: fc.constant(10_000),
      }),
      fc.integer({ min: 1, max: 600 }),
    )
    .map(([plan, laterMs]) => ({ ...plan, messages: [plainOrder(1, 10), plainOrder(1, 10 + laterMs)] })),
})
