import { defineScenario } from '../src/contract/scenario.ts'
import { plansOf } from '../src/sim/plans/workload.ts'

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
  runMs: 3.5,
  plans: plansOf({
    reusesKeys: true,
    keys: 2,
    faults: ['crash', 'duplicate-delivery', 'redelivery', 'lost-acknowledgement'],
    maxFaults: 3,
  }),
})
