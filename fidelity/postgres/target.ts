/** What a statement came to, with every field that clients read. */
export type Answer =
  | {
      readonly tag: string
      readonly columns: readonly (readonly [name: string, typeOid: number])[]
      readonly rows: readonly (readonly (string | null)[])[]
      readonly notes: readonly string[]
    }
  | { readonly error: Readonly<Record<string, string>>; readonly notes: readonly string[] }

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

/** Without what differs between two servers of the same behaviour: numbers, and which of several circles a deadlock names. */
export function masked(text: string): string {
  // Weak locks of tables come to be known in the order of the sessions' slots, which hangs on who left before.
  if (/^Process \d+ waits for .* on relation /m.test(text)) return 'a circle with a table in it'
  return text
    .replace(/(transaction|pivot) \d+/g, '$1 N')
    .replace(/relation \d+ of database \d+/g, 'relation N of database N')
    .replace(/\[\d+,(\d+,\d+,\d+)\]/g, '[N,$1]')
}
