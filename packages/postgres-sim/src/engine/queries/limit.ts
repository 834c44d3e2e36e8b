import type { SelectStmt } from 'libpg-query'
import { type Analysis, newScope, type Scope } from '../expressions/analysis.ts'
import { coerce } from '../expressions/coerce.ts'
import { type Clause, evaluateClause } from '../expressions/expression.ts'
import { emptyRow, type Run, type Running } from '../run.ts'
import { SqlError, UnsupportedSql } from '../sql-error.ts'
import { types } from '../values/types.ts'

export interface Limit {
  readonly count: Clause | null
  readonly offset: Clause | null
}

export function compileLimit(analysis: Analysis, select: SelectStmt, scope: Scope): Limit {
  if (select.limitOption === 'LIMIT_OPTION_WITH_TIES') throw new UnsupportedSql('WITH TIES')
  const around = newScope(scope.parent)
  const compile = (node: SelectStmt['limitCount'], title: string): Clause | null => {
    if (!node) return null
    around.aggregatesRefused = title
    return analysis.clause(node, around, (one) => {
      const cast = coerce(analysis, one, types.int8, 'assignment')
      if (cast) return cast
      throw new SqlError('42804', `argument of ${title} must be type bigint, not type ${one.type.title}`)
    })
  }
  return { count: compile(select.limitCount, 'LIMIT'), offset: compile(select.limitOffset, 'OFFSET') }
}

export function* limitsOf(run: Run, { count, offset }: Limit): Running<{ count: number; offset: number }> {
  const row = emptyRow(run, null)
  const skipped = offset ? yield* evaluateClause(offset, row) : null
  const most = count ? yield* evaluateClause(count, row) : null
  if (skipped !== null && (skipped as bigint) < 0n) throw new SqlError('2201X', 'OFFSET must not be negative')
  if (most !== null && (most as bigint) < 0n) throw new SqlError('2201W', 'LIMIT must not be negative')
  return { offset: Number(skipped ?? 0n), count: most === null ? Infinity : Number(most as bigint) }
}
