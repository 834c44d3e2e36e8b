import fc from 'fast-check'
import { type Boundary, boundaries, commandBoundaries, type PlannedFault } from '../../contract/api/plan.ts'
import { whereText } from '../../contract/results/where-text.ts'
import { atBoundary, atTime, durationMs, type Fault, victim } from './fault.ts'

/**
 * The boundaries without a command. Each of them has only two crash points (lease live or expired),
 * whereas a boundary of commands has many.
 */
const others = boundaries.filter((boundary) => !commandBoundaries.includes(boundary))

/**
 * Crashes the process that passes the nth crash point that is new in the run. In this way rare
 * points (a key is released, a lease is renewed, anything after the end of the lease) are struck as
 * often as common ones. Crashes that are drawn in other ways cover the first points of a run.
 */
export function crashAtNewPoint(): fc.Arbitrary<PlannedFault> {
  const point = (among: readonly Boundary[], least: number, most: number) =>
    fc.record({ at: fc.constantFrom(...among), consumer: fc.constant(0), nth: fc.integer({ min: least, max: most }) })
  return fc.record({
    kind: fc.constant('crash'),
    when: fc.oneof(
      { weight: 3, arbitrary: point(commandBoundaries, 3, 9) },
      { weight: 1, arbitrary: point(others, 2, 2) },
    ),
    aim: fc.constant('new-crash-points'),
    healAfterMs: durationMs(),
  })
}

/**
 * Kills the process between two events. When the fault heals, a new process with a new name starts
 * in the slot.
 */
export const crash: Fault = {
  kind: 'crash',
  about: 'a consumer process is killed at a boundary, and a new one may start in its place',
  delays: 'none',
  needs: 'a consumer that is alive',
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
  strike(view, fault, event) {
    const process = victim(view, fault, event)
    if (process === null) return null
    return {
      action: { do: 'kill', process },
      process: process.name,
      sentence: `${process.name} is killed${whereText(event)}`,
      heal: () => ({
        action: { do: 'start', slot: process.slot },
        sentence: () => `${view.running(process.slot)?.name} replaces ${process.name}`,
      }),
    }
  },
}
