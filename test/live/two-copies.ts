import fc from 'fast-check'
import { defineScenario } from '../../src/contract/api/scenario.ts'
import { plainOrder } from '../../src/sim/plans/orders.ts'
import { plansOf } from '../../src/sim/plans/workload.ts'

/** A small scenario for tests of how runs are chosen and played, not of their content. */
export default defineScenario({
  id: 'two-copies',
  story: 'A producer sends one key twice, and nothing goes wrong.',
  shape: 'single',
  stores: ['redis', 'postgres'],
  assumptions: ['nothing fails'],
  goals: ['a-duplicate-was-answered-with-the-stored-result'],
  recoveryCapMs: 60_000,
  plans: plansOf({
    messages: 1,
    consumers: 2,
    serial: fc.constant(false),
    pace: fc.constant({}),
    effectMs: fc.integer({ min: 1, max: 50 }),
    faults: [],
  }).map((plan) => ({ ...plan, messages: [plainOrder(1, 10), plainOrder(1, 300)] })),
})
