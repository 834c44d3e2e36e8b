import fc from 'fast-check'
import { type Boundary, boundaries, commandBoundaries, type PlannedFault } from '../../contract/api/plan.ts'
import { whereText } from '../../contract/results/where-text.ts'
import { atBoundary, atTime, durationMs, type Fault, victim } from './fault.ts'

/** Those of commands are many crash points, where others have two. */
const others = boundaries.filter((boundary) => !commandBoundaries.includes(boundary))

/**
 * A crash of the process that is the nth in the run to come to a crash point not passed before.
 * Points that few runs get to (a key given back, a lease renewed, anything after the lease has
 * ended) are met as often as those of every run; the first ones are left to crashes that are drawn
 * otherwise.
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
 * The process is killed between two events; healing starts a new one, with a new identity, in its
 * place.
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
