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
    'DynamoDB throttles, stalls, and answers requests with an InternalServerError, whether it has executed them or not. The SDK retries them by itself. ' +
    'A failed condition may be due to the previous try of the same request.',
  shape: 'single',
  stores: ['dynamodb'],
  assumptions: [
    'one table in one region, which loses only items whose TTL has passed',
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
