import fc from 'fast-check'
import { whereText } from '../../contract/where-text.ts'
import { atBoundary, atTime, type Fault, victim } from './fault.ts'

/** All connections between a consumer and Redis are reset; what was under way is lost. */
export const connectionReset: Fault = {
  kind: 'connection-reset',
  about: 'the connections of a consumer to Redis are reset, with whatever was under way on them',
  needs: 'a consumer that is alive, with a connection to Redis',
  draw: (scope) =>
    fc.oneof(
      fc.record({
        kind: fc.constant('connection-reset'),
        when: atBoundary(scope, ['effect-unsent', 'effect-applied', 'effect-answered']),
      }),
      fc.record({
        kind: fc.constant('connection-reset'),
        when: atTime(scope),
        consumer: fc.nat({ max: scope.consumers - 1 }),
      }),
    ),
  strike(view, fault, event) {
    const process = victim(view, fault, event)
    if (process === null) return null
    return {
      action: { do: 'reset', process },
      process: process.name,
      sentence: `the connections of ${process.name} to Redis are reset${whereText(event)}`,
    }
  },
}
