import type { Step } from './step.ts'

/** A server under comparison: real Redis, or the simulated one. */
export interface Target {
  /**
   * The bytes that the server wrote to the step's connection, with `closed` appended if it closed
   * the connection.
   */
  perform(step: Exclude<Step, { kind: 'sleep' }>): Promise<string>
}
