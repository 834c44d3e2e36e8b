/**
 * How an aimed draw meets what it aims at: where nobody can say beforehand which consumer gets
 * there.
 */
import fc from 'fast-check'
import type { Boundary, PlannedFault } from '../../contract/api/plan.ts'
import type { Scope } from '../../run/faults/fault.ts'
import { drawFault } from './workload.ts'

/**
 * The fault as the catalogue draws it, but of whichever consumer comes first to one of those
 * boundaries.
 */
export function drawAtFirst(kind: string, ...boundaries: readonly Boundary[]) {
  return (scope: Scope): fc.Arbitrary<PlannedFault> =>
    fc
      .tuple(drawFault(kind)(scope), fc.constantFrom(...boundaries))
      .map(([{ consumer: _, ...fault }, at]) => ({ ...fault, ...atFirst(at) }))
}

/** When somebody passes that boundary for the first time in the run, and no matter who. */
export function atFirst(at: Boundary) {
  return atNew(at, 1)
}

/**
 * When somebody comes as the nth to a crash point of that boundary that nobody passed before: at
 * the nth kind of command.
 */
export function atNew(at: Boundary, nth: number): Pick<PlannedFault, 'when'> & { aim: string } {
  return { when: { at, consumer: 0, nth }, aim: 'new-crash-points' }
}

/** When the first attempt passes that boundary for the nth time: at its nth command. */
export function atNthOfAttempt(at: Boundary, nth: number): Pick<PlannedFault, 'when'> & { aim: string } {
  return { when: { at, consumer: 0, nth }, aim: 'one-attempt' }
}

/**
 * Before the nth command about a message that an attempt sends. `later`: of an attempt that began
 * after such a fault had struck another. What a process asks about itself is not counted.
 */
export function beforeNthOnKeys(nth: number, later: boolean): Pick<PlannedFault, 'when'> & { aim: string } {
  const aim = later ? 'later-attempt-on-keys' : 'one-attempt-on-keys'
  return { when: { at: 'command-unsent', consumer: 0, nth }, aim }
}

/** The fault, for a little longer than the lease. */
export function beyondTheLease(fault: PlannedFault): PlannedFault {
  return { ...fault, near: { limit: 0, byMs: 1 + Math.abs(fault.near?.byMs ?? 0) } }
}
