import type { Backend } from './backend.ts'
import type { RowVersion } from './storage/row-version.ts'
import type { Snapshot } from './storage/snapshot.ts'
import type { Value } from './values/value.ts'

/**
 * What a session does while it executes: it runs until it waits. What is yielded is what it waits
 * for.
 */
export type Running<T> = Generator<'wait', T, void>

/** One execution of one statement. */
export interface Run {
  readonly backend: Backend
  readonly snapshot: Snapshot
  /** The command's number in its transaction: what it writes itself is not seen by it. */
  readonly command: number
  readonly parameters: readonly Value[]
  /** What parts that are evaluated once have come to, by the part; null: nothing yet. */
  once: Map<object, unknown> | null
  /**
   * How many rows it has written: of several parts that write, the statement itself says it last.
   */
  written: number
}

/** The rows that an expression is evaluated on. */
export interface Row {
  readonly run: Run
  /** The row of each table of the query; null: an outer join has none. */
  readonly slots: (readonly Value[] | null)[]
  readonly versions: (RowVersion | null)[]
  /** The row of the query around this one. */
  readonly outer: Row | null
  /** What the aggregates of the group came to. */
  aggregates: readonly Value[]
  /** What parts that may wait came to, by the part; null: nothing yet. */
  waited: Map<object, Value> | null
}

const none: readonly Value[] = []

export function emptyRow(run: Run, outer: Row | null): Row {
  return { run, slots: [], versions: [], outer, aggregates: none, waited: null }
}

/** `slots` and `versions`: of each table, in their order. */
export function rowWith(
  run: Run,
  outer: Row | null,
  slots: (readonly Value[] | null)[],
  versions: (RowVersion | null)[],
): Row {
  return { run, slots, versions, outer, aggregates: none, waited: null }
}

/** Runs what cannot wait. */
export function toEnd<T>(running: Running<T>): T {
  const { done, value } = running.next()
  if (!done) throw new Error('a part waits that was taken for one that cannot')
  return value
}
