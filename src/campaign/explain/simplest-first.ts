/**
 * Orders equally severe runs by how quickly a reader who is new to the layer understands them:
 * first shrunk runs, then fewer faults, then fewer events.
 */
import type { Counterexample } from '../play/executor.ts'

export type Reported = Pick<Counterexample, 'shrunk' | 'faultCount' | 'eventCount'>

/** A comparator; it returns 0 if both runs are equally simple. */
export function simplestFirst(a: Reported, b: Reported): number {
  return Number(b.shrunk) - Number(a.shrunk) || a.faultCount - b.faultCount || a.eventCount - b.eventCount
}
