import type { Answer } from 'test-servers'

/** One text that a session sends, of one statement or several. */
export interface Step {
  readonly session: number
  readonly sql: string
}

/** All that can be seen after a step, once each session has answered or waits for a lock. */
export interface Seen {
  /**
   * By session: those that have answered since the step before, with what each statement of their
   * text came to.
   */
  readonly answered: Readonly<Record<number, readonly Answer[] | 'unsupported'>>
  /** By session: which sessions it waits for. */
  readonly waiting: Readonly<Record<number, readonly number[]>>
}

/** A server with some sessions: the real one or the simulated one. */
export interface Target {
  /** Everything as new, set up by these statements. */
  begin(setup: readonly string[], sessions: number): Promise<void>
  /** Null where the session still waits, and is not asked. */
  step(step: Step): Promise<Seen | null>
}

/** How long a session waits before it looks for a deadlock, unless it says otherwise itself. */
export const deadlockMs = 5

/**
 * How long a session has to have waited before it counts as waiting: longer than before it looks
 * for a deadlock.
 */
export const settledMs = 25
