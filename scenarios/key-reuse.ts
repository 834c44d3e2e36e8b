import fc from 'fast-check'
import { defineScenario } from '../src/contract/api/scenario.ts'
import { drawAtFirst } from '../src/sim/plans/aim.ts'
import { plansOf, type Workload } from '../src/sim/plans/workload.ts'

const workload: Workload = {
  reusesKeys: true,
  keys: 2,
  faults: ['crash', 'duplicate-delivery', 'redelivery', 'lost-acknowledgement'],
  maxFaults: 3,
}

/**
 * The consumer that performed the first payload dies before it reports success. The next message
 * with the key may have the other payload.
 */
const diedWithTheFirst = plansOf({
  ...workload,
  keys: 1,
  spanMs: 100,
  leaseMs: fc.integer({ min: 500, max: 1500 }),
  always: (scope) => drawAtFirst('crash', 'effect-applied', 'effect-answered')(scope),
  maxFaults: 1,
})

export default defineScenario({
  id: 'key-reuse',
  story:
    'A producer uses one idempotency key for two different payloads. ' +
    'The second one must be neither executed nor answered as if it were the first.',
  shape: 'single',
  stores: ['redis', 'postgres', 'dynamodb'],
  assumptions: ['one server that keeps its data'],
  goals: ['a-key-came-with-another-payload'],
  recoveryCapMs: 60_000,
  minimumRuns: 90,
  runMs: 3.5,
  plans: plansOf(workload),
  aimed: { every: 4, draws: [{ goals: [], plans: diedWithTheFirst }] },
})
