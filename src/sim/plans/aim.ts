/** Aims faults at boundaries, whichever consumer reaches them first. */
import fc from 'fast-check'
import type { Boundary, PlannedFault } from '../../contract/api/plan.ts'
import type { Scope } from '../../run/faults/fault.ts'
import { drawFault } from './workload.ts'

/**
 * Draws a fault of the catalogue, aimed at the first consumer that reaches one of these boundaries.
 * @throws Error if the catalogue has no fault of that kind, when a plan is drawn
 * @example
 * ```ts
 * import { drawAtFirst, plansOf } from 'onceproof'
 *
 * const plans = plansOf({
 *   faults: [],
 *   always: drawAtFirst('crash', 'effect-unsent', 'effect-applied'),
 * })
 * ```
 */
export function drawAtFirst(
  kind: string,
  ...boundaries: readonly Boundary[]
): (scope: Scope) => fc.Arbitrary<PlannedFault> {
  return (scope) =>
    fc
      .tuple(drawFault(kind)(scope), fc.constantFrom(...boundaries))
      .map(([{ consumer: _, ...fault }, at]) => ({ ...fault, ...atFirst(at) }))
}

/**
 * Strikes when any consumer passes the boundary `at` for the first time in the run.
 * @example
 * ```ts
 * import { atFirst, type PlannedFault } from 'onceproof'
 *
 * const fault: PlannedFault = { kind: 'crash', ...atFirst('effect-applied') }
 * ```
 */
export function atFirst(at: Boundary): Pick<PlannedFault, 'when'> & { aim: string } {
  return atNew(at, 1)
}

/**
 * Strikes at the nth new crash point of the boundary `at`, that is, at the nth kind of command.
 * @example
 * ```ts
 * import { atNew, type PlannedFault } from 'onceproof'
 *
 * const fault: PlannedFault = { kind: 'crash', ...atNew('command-executed', 3) }
 * ```
 */
export function atNew(at: Boundary, nth: number): Pick<PlannedFault, 'when'> & { aim: string } {
  return { when: { at, consumer: 0, nth }, aim: 'new-crash-points' }
}

/** Strikes when an attempt passes the boundary for the nth time, that is, at its nth command. */
export function atNthOfAttempt(at: Boundary, nth: number): Pick<PlannedFault, 'when'> & { aim: string } {
  return { when: { at, consumer: 0, nth }, aim: 'one-attempt' }
}

/**
 * Strikes before an attempt sends its nth command about a message. `later`: only attempts that
 * began after such a fault had struck another attempt. Commands of a process about itself are not
 * counted.
 */
export function beforeNthOnKeys(nth: number, later: boolean): Pick<PlannedFault, 'when'> & { aim: string } {
  const aim = later ? 'later-attempt-on-keys' : 'one-attempt-on-keys'
  return { when: { at: 'command-unsent', consumer: 0, nth }, aim }
}

/**
 * The fault, lasting a little longer than the lease.
 * @example
 * ```ts
 * import { beyondTheLease, drawFault, plansOf } from 'onceproof'
 *
 * const plans = plansOf({
 *   faults: [],
 *   always: (scope) => drawFault('pause')(scope).map(beyondTheLease),
 * })
 * ```
 */
export function beyondTheLease(fault: PlannedFault): PlannedFault {
  return { ...fault, near: { limit: 0, byMs: 1 + Math.abs(fault.near?.byMs ?? 0) } }
}
