import type { Backend } from './backend.ts'
import type { RowVersion } from './storage/row-version.ts'
import type { Snapshot } from './storage/snapshot.ts'
import type { Value } from './values/value.ts'

/** Code of a session as a generator, which yields when the session must wait. */
export type Running<T> = Generator<'wait', T, void>

/** One execution of one statement. */
export interface Run {
  readonly backend: Backend
  readonly snapshot: Snapshot
  /** Number of the command in the transaction. A command does not see its own writes. */
  readonly command: number
  readonly parameters: readonly Value[]
  /** Results of parts that are evaluated once per statement; null if there are none yet. */
  once: Map<object, unknown> | null
  /**
   * Number of rows written. If several parts of a statement write, the statement itself sets the
   * number last.
   */
  written: number
}

/** The row for which an expression is evaluated. */
export interface Row {
  readonly run: Run
  /** The values of each table of the query; null if an outer join has no row. */
  readonly slots: (readonly Value[] | null)[]
  readonly versions: (RowVersion | null)[]
  /** The row of the outer query. */
  readonly outer: Row | null
  /** Aggregate results of the group. */
  aggregates: readonly Value[]
  /** Results of parts that may wait; null if there are none yet. */
  waited: Map<object, Value> | null
}

const none: readonly Value[] = []

export function emptyRow(run: Run, outer: Row | null): Row {
  return { run, slots: [], versions: [], outer, aggregates: none, waited: null }
}

/** `slots` and `versions` have one entry per table, in order. */
export function rowWith(
  run: Run,
  outer: Row | null,
  slots: (readonly Value[] | null)[],
  versions: (RowVersion | null)[],
): Row {
  return { run, slots, versions, outer, aggregates: none, waited: null }
}

/** Runs a generator that cannot wait. */
export function toEnd<T>(running: Running<T>): T {
  const { done, value } = running.next()
  if (!done) throw new Error('a part waits that must not wait')
  return value
}
