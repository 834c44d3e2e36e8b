import type { Answer } from 'test-servers'

/** One text that a session sends. It contains one or several statements. */
export interface Step {
  readonly session: number
  readonly sql: string
}

/** The observable state after a step, when each session has answered or waits for a lock. */
export interface Seen {
  /**
   * The results of the statements, by session, for sessions that have answered since the last step.
   */
  readonly answered: Readonly<Record<number, readonly Answer[] | 'unsupported'>>
  /** For each session that waits, the sessions that block it. */
  readonly waiting: Readonly<Record<number, readonly number[]>>
}

/** A server with several sessions: the real one or the simulated one. */
export interface Target {
  /** Resets the server and executes the setup statements. */
  begin(setup: readonly string[], sessions: number): Promise<void>
  /** Sends a step. If the session still waits, does not send the step and returns null. */
  step(step: Step): Promise<Seen | null>
}

/** The default deadlock_timeout of the sessions, in milliseconds. */
export const deadlockMs = 5

/**
 * Milliseconds that a session must wait for a lock before it counts as waiting. This is longer than
 * deadlock_timeout.
 */
export const settledMs = 25
