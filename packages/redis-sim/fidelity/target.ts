import type { Step } from './step.ts'

/** A server under comparison: real Redis, or the simulated one. */
export interface Target {
  /**
   * Performs a step. Returns the bytes that the server wrote to the step's connection, with a mark
   * appended if the server closed the connection.
   */
  perform(step: Exclude<Step, { kind: 'sleep' }>): Promise<string>
}
