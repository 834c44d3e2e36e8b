import fc from 'fast-check'
import { defineScenario } from '../src/contract/api/scenario.ts'
import { besidesRedisKeys } from '../src/contract/api/verdict.ts'
import { drawAtFirst } from '../src/sim/plans/aim.ts'
import { drawFault, plansOf, type Workload } from '../src/sim/plans/workload.ts'

const workload: Workload = {
  keys: 2,
  faults: ['dynamodb-error', 'dynamodb-throttled', 'slow-dynamodb', 'crash', 'duplicate-delivery', 'lost-reply'],
}

export default defineScenario({
  id: 'dynamodb-errors',
  story:
    'DynamoDB throttles, stands still, and answers requests with an InternalServerError that it has done or has not done. The SDK sends them again by itself. ' +
    "A condition that fails may have been met by the request before, which was the layer's own.",
  shape: 'single',
  stores: ['dynamodb'],
  assumptions: [
    'one table in one region, which loses nothing but what its time to live deletes',
    'all copies of a message carry the same payload',
  ],
  invariants: besidesRedisKeys,
  goals: ['requests-were-throttled-while-a-delivery-was-open', 'a-request-got-an-internal-error'],
  recoveryCapMs: 60_000,
  runMs: 12,
  plans: plansOf({
    ...workload,
    always: (scope) =>
      fc.oneof(
        drawAtFirst('dynamodb-error', 'command-unexecuted')(scope),
        drawFault('dynamodb-error')(scope),
        drawFault('dynamodb-throttled')(scope),
      ),
  }),
})
