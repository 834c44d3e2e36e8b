import fc from 'fast-check'
import { whereText } from '../../contract/where-text.ts'
import { atBoundary, atTime, type Fault, victim } from './fault.ts'

/**
 * A NAT or a firewall forgets a consumer's connections to Redis. What either end sends on them is lost, and no reset tells
 * of it; new connections work. TCP of the client's machine gives up after a quarter of an hour, clients sooner where they
 * have a time-out. (A partition that heals gives back what it held.)
 */
export const halfOpen: Fault = {
  kind: 'half-open',
  about: 'the connections of a consumer to Redis are forgotten on their way: nothing passes, and neither end is told',
  needs: 'a consumer that is alive, with a connection to Redis',
  draw: (scope) =>
    fc.oneof(
      fc.record({
        kind: fc.constant('half-open'),
        when: atBoundary(scope, ['delivery-received', 'command-unsent', 'command-executed', 'effect-applied']),
      }),
      fc.record({
        kind: fc.constant('half-open'),
        when: atTime(scope),
        consumer: fc.nat({ max: scope.consumers - 1 }),
      }),
    ),
  strike(view, fault, event) {
    const process = victim(view, fault, event)
    if (process === null) return null
    return {
      action: { do: 'forget', process },
      process: process.name,
      sentence: `the connections of ${process.name} to Redis are forgotten on their way${whereText(event)}: nothing passes on them, and nobody is told`,
    }
  },
}
