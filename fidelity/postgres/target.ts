import type { Answer } from '../../src/fidelity/postgres/wire-client.ts'

export interface Step {
  readonly session: number
  readonly sql: string
}

/** All that can be seen after a step, once each session has answered or waits for a lock. */
export interface Seen {
  /** By session: those that have answered since the step before. */
  readonly answered: Readonly<Record<number, Answer | 'unsupported'>>
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
