import type { Node } from 'libpg-query'
import type { Index, Table } from '../catalog/relations.ts'
import type { Analysis, Scope } from '../expressions/analysis.ts'
import { coerce } from '../expressions/coerce.ts'
import type { Expression } from '../expressions/expression.ts'

/**
 * How a query finds the rows of a table: `key` is a search for a complete key in its unique index;
 * `all` is a scan of the table, because no index is useful. In all other cases the access depends
 * on PostgreSQL's planner ('unclear').
 */
export type Access =
  | { readonly kind: 'all' }
  | { readonly kind: 'unclear' }
  | { readonly kind: 'key'; readonly index: Index; readonly values: readonly Expression[] }

/**
 * Chooses the access to a table. `sorted` is true if the query has an ORDER BY, whose order an
 * index may provide.
 */
export function accessOf(
  analysis: Analysis,
  table: Table,
  alias: string,
  where: Node | undefined,
  scope: Scope,
  sorted: boolean,
): Access {
  const { backend } = analysis
  const indexes = backend.database.catalog.indexesOf(backend, table)
  const conditions = where ? conjuncts(where) : []
  const equal = new Map<number, Node>()
  for (const one of conditions) {
    const found = equality(one, table, alias)
    if (found) equal.set(found.column, found.value)
  }
  for (const index of indexes) {
    if (!index.unique || index.predicate || !index.parts.every(({ column }) => equal.has(column))) continue
    const values = index.parts.map(({ column }) => {
      const given = analysis.expression(equal.get(column)!, scope)
      const { type } = table.columns[column]!
      if (given.open || given.type === type) return coerce(analysis, given, type, 'implicit')
      return type.category === given.type.category && type.category === 'N'
        ? coerce(analysis, given, type, 'implicit')
        : null
    })
    if (values.every((one) => one !== null)) return { kind: 'key', index, values: values as Expression[] }
  }
  const names = new Set(conditions.flatMap(columnsIn))
  const useful = indexes.some(({ parts, predicate }) => {
    if (predicate && columnsIn(predicate).some((name) => names.has(name))) return true
    return parts.some(({ column, expression }) =>
      column >= 0 ? names.has(table.columns[column]!.name) : columnsIn(expression!).some((name) => names.has(name)),
    )
  })
  return useful || (sorted && indexes.length > 0) ? { kind: 'unclear' } : { kind: 'all' }
}

function conjuncts(node: Node): Node[] {
  return 'BoolExpr' in node && node.BoolExpr.boolop === 'AND_EXPR'
    ? (node.BoolExpr.args ?? []).flatMap(conjuncts)
    : [node]
}

/**
 * The column and the value of a condition `column = value`, where the value is a constant or a
 * parameter; null for other conditions.
 */
function equality(node: Node, table: Table, alias: string): { column: number; value: Node } | null {
  if (!('A_Expr' in node) || node.A_Expr.kind !== 'AEXPR_OP') return null
  const name = node.A_Expr.name?.[0]
  const { lexpr, rexpr } = node.A_Expr
  if (!name || !('String' in name) || name.String.sval !== '=' || !lexpr || !rexpr) return null
  for (const [side, value] of [
    [lexpr, rexpr],
    [rexpr, lexpr],
  ] as const) {
    if (!('ColumnRef' in side) || !isConstant(value)) continue
    const names = (side.ColumnRef.fields ?? []).map((one) => ('String' in one ? one.String.sval : '*'))
    if (names.length > 2 || (names.length === 2 && names[0] !== alias)) continue
    const column = table.columns.findIndex((one) => one.name === names.at(-1))
    if (column >= 0) return { column, value }
  }
  return null
}

function isConstant(node: Node): boolean {
  if ('TypeCast' in node) return isConstant(node.TypeCast.arg!)
  return 'A_Const' in node || 'ParamRef' in node
}

const namesIn = new WeakMap<Node, readonly string[]>()

/** The names of the columns in an expression. */
export function columnsIn(node: Node): readonly string[] {
  const known = namesIn.get(node)
  if (known) return known
  const found = [
    ...JSON.stringify(node).matchAll(/"ColumnRef":\{"fields":\[((?:\{"String":\{"sval":"[^"]*"\}\},?)+)\]/g),
  ].map((one) => [...one[1]!.matchAll(/"sval":"([^"]*)"/g)].at(-1)![1]!)
  namesIn.set(node, found)
  return found
}
