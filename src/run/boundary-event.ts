import type { Boundary } from '../contract/api/plan.ts'
import type { ProcessRef } from './process-ref.ts'

/** What faults decide about a step that passes a boundary. */
export interface Decision {
  /**
   * `drop`: it goes no further. `refuse` and `fail`, at the sink: answered with a definitive
   * refusal, or an error that leaves the effect in doubt.
   */
  verdict: 'pass' | 'drop' | 'refuse' | 'fail'
  /** The store answers this in place of executing the command. */
  error: string | null
  /** Added to the time that the sink works on an effect, in microseconds. */
  slowUs: number
}

/** A step of a process that passes a boundary, with what was decided about it so far. */
export interface BoundaryEvent extends Decision {
  /** Whose step it is; it may have ended since. */
  readonly process: ProcessRef
  readonly slot: number
  readonly boundary: Boundary
  /** The command or script, where the boundary is one of those. */
  readonly label: string | null
}

/** The decision about nearly every step. */
export const untouched: Decision = Object.freeze({ verdict: 'pass', error: null, slowUs: 0 })
