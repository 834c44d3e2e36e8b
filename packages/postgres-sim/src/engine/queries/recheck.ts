import type { Table } from '../catalog/relations.ts'
import { type Clause, evaluateClause } from '../expressions/expression.ts'
import { lockLatest } from '../rows/row-locks.ts'
import type { Row, Run, Running } from '../run.ts'
import { UnsupportedSql } from '../sql-error.ts'
import type { RowLockMode, RowVersion } from '../storage/row-version.ts'

/**
 * Whether a row that another transaction has changed meanwhile still fits (READ COMMITTED).
 * PostgreSQL looks at the new version, and at the same rows of other tables as before. Which row of
 * a subquery that was is the planner's choice.
 */
export function* stillFits(row: Row, where: Clause | null): Running<boolean> {
  if (!where) return true
  if (where.joins)
    throw new UnsupportedSql('a condition with a correlated subquery on a row that was changed meanwhile')
  return (yield* evaluateClause(where, row)) === true
}

/**
 * What an UPDATE or DELETE goes on with, where another transaction has replaced the version that it
 * found; null: it leaves the row alone.
 */
export function* latestToChange(
  run: Run,
  table: Table,
  row: Row,
  found: RowVersion,
  mode: RowLockMode,
  where: Clause | null,
): Running<RowVersion | null> {
  const latest = yield* lockLatest(run, table, found, mode, 'wait')
  if (typeof latest === 'string') return null
  row.slots[0] = latest.values
  row.versions[0] = latest
  row.waited = null
  return (yield* stillFits(row, where)) ? latest : null
}
