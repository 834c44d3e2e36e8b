import type { Boundary } from '../contract/api/plan.ts'
import type { ProcessRef } from './process-ref.ts'

/** What faults have decided about a step that passes a boundary. */
export interface Decision {
  /**
   * `drop`: the step goes no further. `refuse` and `fail` are only for requests to the sink: the
   * sink answers with a definitive refusal, or with an error that leaves the effect in doubt.
   */
  verdict: 'pass' | 'drop' | 'refuse' | 'fail'
  /** The store replies with this error instead of executing the command. */
  error: string | null
  /** Added to the time that the sink works on an effect, in microseconds. */
  slowUs: number
}

/** A step of a process that passes a boundary, with the decision about it so far. */
export interface BoundaryEvent extends Decision {
  /** The process of the step, which may have ended since. */
  readonly process: ProcessRef
  readonly slot: number
  readonly boundary: Boundary
  /** The label of the command or script, if the boundary is about one. */
  readonly label: string | null
}

/** The default decision. */
export const untouched: Decision = Object.freeze({ verdict: 'pass', error: null, slowUs: 0 })
