import fc from 'fast-check'
import type { Boundary } from '../src/contract/api/plan.ts'
import { defineScenario } from '../src/contract/api/scenario.ts'
import type { Scope } from '../src/run/faults/fault.ts'
import { drawAtFirst } from '../src/sim/plans/aim.ts'
import { drawFault, plansOf, type Workload } from '../src/sim/plans/workload.ts'

const workload: Workload = {
  keys: 2,
  messages: 3,
  faults: ['crash', 'pause', 'effect-fails-before', 'effect-fails-after', 'slow-effect', 'lost-reply', 'redelivery'],
  maxFaults: 2,
}

/**
 * Draws a fault that strikes when a boundary of the sink is reached again, so that it affects an
 * attempt after a failed one.
 */
const later = (kind: string, at: Boundary, most: number) => (scope: Scope) =>
  fc
    .tuple(drawFault(kind)(scope), fc.nat({ max: 1 }), fc.integer({ min: 2, max: most }))
    .map(([{ consumer: _, ...fault }, consumer, nth]) => ({ ...fault, when: { at, consumer, nth } }))

/**
 * The first attempt ends in doubt. Another attempt should cancel its effect, and the outcome of
 * that attempt is uncertain, too.
 */
const twice = (scope: Scope) =>
  fc
    .tuple(
      fc.oneof(
        drawAtFirst('crash', 'effect-applied', 'effect-answered', 'command-executed')(scope),
        drawAtFirst('effect-fails-after', 'effect-applied')(scope),
        drawAtFirst('pause', 'effect-unapplied', 'effect-applied')(scope),
      ),
      fc.oneof(
        later('effect-fails-before', 'effect-unapplied', 3)(scope),
        later('effect-fails-after', 'effect-applied', 3)(scope),
        later('crash', 'effect-applied', 3)(scope),
        later('crash', 'command-executed', 8)(scope),
        later('crash', 'effect-unsent', 3)(scope),
      ),
    )
    .map((both) => both.flat())

export default defineScenario({
  id: 'failed-compensation',
  story:
    'An attempt fails after its effect was applied, and the attempt that should cancel the effect dies, stalls, or gets no answer from the sink. ' +
    'A compensation is a request like any other: it can be lost, and is uncertain until it is answered.',
  shape: 'single',
  onlySink: 'cancellable',
  assumptions: [
    'one Redis server that keeps its data',
    'all copies of a message carry the same payload',
    'the sink never refuses to cancel an effect',
  ],
  goals: [
    'an-effect-was-taken-back',
    'an-effect-was-in-doubt',
    'a-process-crashed-between-effect-and-acknowledgement',
    'a-message-was-redelivered',
  ],
  recoveryCapMs: 60_000,
  runMs: 5,
  plans: plansOf({ ...workload, consumers: 2, always: twice }),
})
