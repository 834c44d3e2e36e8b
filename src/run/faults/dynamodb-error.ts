import fc from 'fast-check'
import { atBoundary, type Fault } from './fault.ts'

/**
 * One request is answered with an InternalServerError. `failed`: it was not executed.
 * `failed-after`: it was executed. The SDK retries the request, and a condition of the request may
 * then fail because of the first execution.
 */
export const dynamodbError: Fault = {
  kind: 'dynamodb-error',
  store: 'dynamodb',
  about: 'the DynamoDB service answers a request with an InternalServerError, whether executed or not',
  delays: 'its links',
  needs: 'the boundary command-unexecuted instead of a time',
  onlyAt: ['command-unexecuted'],
  draw: (scope) =>
    fc.record({
      kind: fc.constant('dynamodb-error'),
      when: atBoundary(scope, ['command-unexecuted']),
      error: fc.constantFrom('failed-after', 'failed'),
    }),
  strike(_view, fault, event) {
    if (event === null) return null
    event.error = fault.error === 'failed' ? 'failed' : 'failed-after'
    const what = event.error === 'failed' ? 'without executing it' : 'although it has executed it'
    return {
      process: event.process.name,
      sentence: `dynamodb answers ${event.label} of consumer-${event.slot + 1} with an InternalServerError ${what}`,
    }
  },
}
