import type { SelectStmt } from 'libpg-query'
import type { Analysis, Plan, Scope } from '../expressions/analysis.ts'
import { toCommon } from '../expressions/common-type.ts'
import { emptyRow } from '../run.ts'
import { SqlError, UnsupportedSql } from '../sql-error.ts'

/** Compiles VALUES as a query. */
export function compileValues(analysis: Analysis, select: SelectStmt, scope: Scope): Plan {
  if (select.sortClause?.length || select.limitCount || select.limitOffset)
    throw new UnsupportedSql('VALUES with ORDER BY or LIMIT')
  scope.aggregatesRefused = 'VALUES'
  const lists = (select.valuesLists ?? []).map((one) =>
    ('List' in one ? (one.List.items ?? []) : []).map((item) => analysis.expression(item, scope)),
  )
  if (lists.some((one) => one.length !== lists[0]!.length))
    throw new SqlError('42601', 'VALUES lists must all be the same length')
  const columns = lists[0]!.map((_, i) =>
    toCommon(
      analysis,
      lists.map((one) => one[i]!),
      'VALUES',
    ),
  )
  return {
    fields: columns.map(({ type }, i) => ({ name: `column${i + 1}`, type, typmod: -1, tableOid: 0, column: 0 })),
    mayWait: false,
    *rows(run, outer) {
      const row = emptyRow(run, outer)
      return lists.map((_, i) => columns.map(({ expressions }) => expressions[i]!.evaluate(row)))
    },
  }
}
