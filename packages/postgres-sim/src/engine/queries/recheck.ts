import type { Table } from '../catalog/relations.ts'
import { type Clause, evaluateClause } from '../expressions/expression.ts'
import { lockLatest } from '../rows/row-locks.ts'
import type { Row, Run, Running } from '../run.ts'
import { UnsupportedSql } from '../sql-error.ts'
import type { RowLockMode, RowVersion } from '../storage/row-version.ts'

/**
 * True if a row that another transaction has changed still matches (READ COMMITTED). PostgreSQL
 * checks the new version together with the same rows of the other tables. If the condition contains
 * a subquery, these rows depend on the plan.
 */
export function* stillFits(row: Row, where: Clause | null): Running<boolean> {
  if (!where) return true
  if (where.joins)
    throw new UnsupportedSql('a condition with a correlated subquery on a row that was changed meanwhile')
  return (yield* evaluateClause(where, row)) === true
}

/**
 * The version with which UPDATE or DELETE continues after another transaction has replaced the
 * version that it found; null if the row no longer matches.
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
