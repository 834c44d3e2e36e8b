import type { RangeEntry, Scope, ScopeColumn } from '../expressions/analysis.ts'
import type { Row, Run, Running } from '../run.ts'
import { SqlError } from '../sql-error.ts'
import type { RowVersion } from '../storage/row-version.ts'
import type { Value } from '../values/value.ts'

/** Produces the rows of one FROM item. `slots` are the slots of a row that the source fills. */
export interface Source {
  readonly slots: readonly number[]
  readonly mayWait: boolean
  rows(run: Run, outer: Row | null, size: number): Running<Row[]>
  /**
   * True if the row is still a result after a newer version replaced the row of one of its tables.
   * Absent if this is always true.
   */
  stillThere?(row: Row): Running<boolean>
}

export function makeRow(run: Run, outer: Row | null, size: number): Row {
  return {
    run,
    outer,
    slots: new Array(size).fill(null),
    versions: new Array(size).fill(null),
    aggregates: [],
    waited: null,
  }
}

export function filled(
  run: Run,
  outer: Row | null,
  size: number,
  slot: number,
  values: readonly Value[],
  version: RowVersion | null,
): Row {
  const row = makeRow(run, outer, size)
  row.slots[slot] = values
  row.versions[slot] = version
  return row
}

export function addEntry(
  scope: Scope,
  alias: string,
  columns: readonly ScopeColumn[],
  table: RangeEntry['table'],
  position?: number,
): number {
  if (scope.entries.some((one) => one.alias === alias)) {
    throw new SqlError(
      '42712',
      `table name "${alias}" specified more than once`,
      position === undefined ? {} : { position },
    )
  }
  const slot = scope.entries.length
  scope.entries.push({ alias, slot, columns, table })
  return slot
}
