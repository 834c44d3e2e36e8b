import { type Clause, evaluateClause } from '../expressions/expression.ts'
import type { Row, Running } from '../run.ts'
import { UnsupportedSql } from '../sql-error.ts'

/**
 * Whether a row that another transaction has changed meanwhile still fits (READ COMMITTED). PostgreSQL looks at the new version, and at the same
 * rows of other tables as before. Which row of a subquery that was is the planner's choice.
 */
export function* stillFits(row: Row, where: Clause | null): Running<boolean> {
  if (!where) return true
  if (where.joins)
    throw new UnsupportedSql('a condition with a correlated subquery on a row that was changed meanwhile')
  return (yield* evaluateClause(where, row)) === true
}
