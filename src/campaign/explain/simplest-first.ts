/**
 * Orders equally severe runs by how easily a reader understands them: shrunk runs first, then runs
 * with fewer faults, then runs with fewer events.
 */
import type { Counterexample } from '../play/executor.ts'

export type Reported = Pick<Counterexample, 'shrunk' | 'faultCount' | 'eventCount'>

/** A comparator; it returns 0 if both runs are equally simple. */
export function simplestFirst(a: Reported, b: Reported): number {
  return Number(b.shrunk) - Number(a.shrunk) || a.faultCount - b.faultCount || a.eventCount - b.eventCount
}
