import type { Boundary } from '../contract/plan.ts'
import type { VirtualProcess } from '../sim/runtime/process.ts'

/** What faults make of a step. */
export interface Ruling {
  /**
   * `drop`: it goes no further. `refuse` and `fail`, at the sink: answered with a definitive refusal, or an error
   * that leaves the effect in doubt.
   */
  verdict: 'pass' | 'drop' | 'refuse' | 'fail'
  /** Redis answers this in place of executing the command. */
  error: string | null
  /** Added to the time that the sink works on an effect, in microseconds. */
  slowUs: number
}

/** Something that passes a boundary. */
export interface Passing extends Ruling {
  /** Whose step it is; it may have ended since. */
  readonly process: VirtualProcess
  readonly slot: number
  readonly boundary: Boundary
  /** The command or script, where the boundary is one of those. */
  readonly label: string | null
}
