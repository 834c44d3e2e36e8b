/**
 * Orders equally severe runs by how quickly a reader new to the layer understands them: shrunk
 * runs, fewer faults, fewer events.
 */
import type { Counterexample } from '../play/executor.ts'

export type Reported = Pick<Counterexample, 'shrunk' | 'faultCount' | 'eventCount'>

/** A comparator; 0 if both are equally simple. */
export function simplestFirst(a: Reported, b: Reported): number {
  return Number(b.shrunk) - Number(a.shrunk) || a.faultCount - b.faultCount || a.eventCount - b.eventCount
}
