import fc from 'fast-check'
import { boundaries } from '../../contract/plan.ts'
import { atBoundary, atTime, durationMs, type Fault, slotOf, whereText } from './fault.ts'

/** The process is killed between two events; healing starts a new one, with a new identity, in its place. */
export const crash: Fault = {
  kind: 'crash',
  about: 'a consumer process is killed at a boundary, and a new one may start in its place',
  draw: (scope) =>
    fc.oneof(
      fc.record({
        kind: fc.constant('crash'),
        when: atBoundary(scope, boundaries),
        healAfterMs: durationMs(),
      }),
      fc.record({
        kind: fc.constant('crash'),
        when: atTime(scope),
        consumer: fc.nat({ max: scope.consumers - 1 }),
        healAfterMs: durationMs(),
      }),
    ),
  strike(target, fault, passing) {
    const slot = slotOf(fault)
    const process = target.running(slot)
    if (process === null) return null
    target.crash(process)
    return {
      process: process.name,
      sentence: `${process.name} is killed${whereText(passing)}`,
      heal: () => `${target.restart(slot).name} starts in place of ${process.name}`,
    }
  },
}
