/**
 * Which of several runs is told first, where all are equally grave: the one that a stranger
 * understands soonest. It is small, it needs the fewest faults, and the least happens in it.
 */
import type { Counterexample } from '../play/executor.ts'

export type Reported = Pick<Counterexample, 'shrunk' | 'faultCount' | 'eventCount'>

/** Sorts; 0 where both are equally simple. */
export function simplestFirst(a: Reported, b: Reported): number {
  return Number(b.shrunk) - Number(a.shrunk) || a.faultCount - b.faultCount || a.eventCount - b.eventCount
}
