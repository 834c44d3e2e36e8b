import type { Step } from './step.ts'

/** A server under comparison: real Redis, or the simulated one. */
export interface Target {
  /**
   * The bytes that the step made the server write to the step's connection; `closed` appended when
   * it hung up.
   */
  perform(step: Exclude<Step, { kind: 'sleep' }>): Promise<string>
}
