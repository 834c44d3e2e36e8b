import type { Node } from 'libpg-query'
import type { Analysis, Scope } from '../expressions/analysis.ts'
import { coerce } from '../expressions/coerce.ts'
import { type Clause, evaluateClause } from '../expressions/expression.ts'
import { expressionText } from '../expressions/expression-text.ts'
import type { Row, Running } from '../run.ts'
import { SqlError, UnsupportedSql } from '../sql-error.ts'
import { types } from '../values/types.ts'
import type { Value } from '../values/value.ts'
import type { Target } from './targets.ts'

export interface SortKey {
  readonly clause: Clause
  readonly descending: boolean
  readonly nullsFirst: boolean
}

/** Compiles ORDER BY: the position or name of an output column, or an expression. */
export function compileOrder(
  analysis: Analysis,
  nodes: readonly Node[],
  targets: readonly Target[],
  scope: Scope,
  distinct: 'rows' | 'on' | null,
): SortKey[] {
  return nodes.map((one) => {
    if (!('SortBy' in one)) throw new UnsupportedSql('this form of ORDER BY')
    const { node, sortby_dir, sortby_nulls } = one.SortBy
    if (sortby_dir === 'SORTBY_USING') throw new UnsupportedSql('ORDER BY … USING')
    const descending = sortby_dir === 'SORTBY_DESC'
    const nullsFirst = sortby_nulls === 'SORTBY_NULLS_DEFAULT' ? descending : sortby_nulls === 'SORTBY_NULLS_FIRST'
    const clause = keyOf(analysis, node!, targets, scope, distinct)
    if (clause.type === types.json) {
      throw new SqlError('42883', 'could not identify an ordering operator for type json', {
        hint: 'Use an explicit ordering operator or modify the query.',
      })
    }
    return { clause, descending, nullsFirst }
  })
}

function keyOf(
  analysis: Analysis,
  node: Node,
  targets: readonly Target[],
  scope: Scope,
  distinct: 'rows' | 'on' | null,
): Clause {
  if ('A_Const' in node) {
    const { ival, location } = node.A_Const
    const position = (location ?? 0) + 1
    if (!ival) throw new SqlError('42601', 'non-integer constant in ORDER BY', { position })
    const found = targets[(ival.ival ?? 0) - 1]
    if (!found) throw new SqlError('42P10', `ORDER BY position ${ival.ival ?? 0} is not in select list`, { position })
    return found.clause
  }
  if ('ColumnRef' in node && node.ColumnRef.fields?.length === 1) {
    const field = node.ColumnRef.fields[0]!
    const name = 'String' in field ? field.String.sval : undefined
    const named = targets.filter((one) => one.field.name === name)
    const isSame = ({ node: other, field: { tableOid, column } }: Target) =>
      other && named[0]!.node
        ? expressionText(other) === expressionText(named[0]!.node)
        : tableOid === named[0]!.field.tableOid && column === named[0]!.field.column
    if (named.length > 1 && !named.every(isSame)) {
      throw new SqlError('42702', `ORDER BY "${name}" is ambiguous`, { position: (node.ColumnRef.location ?? 0) + 1 })
    }
    if (named.length > 0) return named[0]!.clause
  }
  const same = targets.find((one) => one.node && expressionText(one.node) === expressionText(node))
  if (same) return same.clause
  if (distinct === 'on') throw new UnsupportedSql('DISTINCT ON ordered by an unselected expression')
  if (distinct && !targets.some((one) => one.node === null)) {
    throw new SqlError('42P10', 'for SELECT DISTINCT, ORDER BY expressions must appear in select list')
  }
  return analysis.clause(node, scope, (one) =>
    one.type === types.unknown ? coerce(analysis, one, types.text, 'implicit')! : one,
  )
}

export function* sortRows(rows: readonly Row[], keys: readonly SortKey[]): Running<Row[]> {
  const keyed: { row: Row; values: Value[] }[] = []
  for (const row of rows) {
    const values: Value[] = []
    for (const { clause } of keys) values.push(yield* evaluateClause(clause, row))
    keyed.push({ row, values })
  }
  keyed.sort((a, b) => compareKeys(a.values, b.values, keys))
  return keyed.map(({ row }) => row)
}

export function compareKeys(a: readonly Value[], b: readonly Value[], keys: readonly SortKey[]): number {
  for (let i = 0; i < keys.length; i++) {
    const { clause, descending, nullsFirst } = keys[i]!
    const [left, right] = [a[i]!, b[i]!]
    if (left === null || right === null) {
      if (left === right) continue
      return (left === null) === nullsFirst ? -1 : 1
    }
    const order = clause.type.compare(left, right)
    if (order !== 0) return descending ? -order : order
  }
  return 0
}
