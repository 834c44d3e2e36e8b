import type { Node, SelectStmt } from 'libpg-query'
import type { AggregateUse, Analysis, Scope } from '../expressions/analysis.ts'
import { isAggregateCall } from '../expressions/calls.ts'
import type { Expression } from '../expressions/expression.ts'
import { expressionText } from '../expressions/expression-text.ts'
import type { Row, Run } from '../run.ts'
import { SqlError, UnsupportedSql } from '../sql-error.ts'
import { keyOfRow } from '../values/keys.ts'
import { makeRow } from './source.ts'

/** True if the nodes call an aggregate outside of subqueries. */
export function hasAggregate(nodes: readonly Node[]): boolean {
  const look = (value: unknown): boolean => {
    if (Array.isArray(value)) return value.some(look)
    if (typeof value !== 'object' || value === null) return false
    if ('SubLink' in value) return false
    return isAggregateCall(value as Node) || Object.values(value).some(look)
  }
  return look(nodes)
}

/** Compiles GROUP BY, whose expressions the target list may use. */
export function compileGroups(analysis: Analysis, select: SelectStmt, scope: Scope): Expression[] {
  const groups = new Map<string, Expression>()
  const keys = (select.groupClause ?? []).map((given) => {
    const node = targetOf(given, select, scope)
    if ('GroupingSet' in node) throw new UnsupportedSql('GROUPING SETS')
    scope.aggregatesRefused = 'GROUP BY'
    const expression = analysis.expression(node, scope)
    groups.set(expressionText(node), expression)
    if ('ColumnRef' in node) addColumn(groups, node, scope, expression)
    return expression
  })
  addDependent(groups, scope, analysis)
  scope.groups = groups
  return keys
}

/**
 * Resolves an item of GROUP BY that is the position of an output column, or the name of an output
 * column that is not a table column.
 */
function targetOf(node: Node, select: SelectStmt, scope: Scope): Node {
  const targets = (select.targetList ?? []).flatMap((one) => ('ResTarget' in one ? [one.ResTarget] : []))
  if ('A_Const' in node && node.A_Const.ival) {
    const at = node.A_Const.ival.ival ?? 0
    const found = targets[at - 1]?.val
    if (!found)
      throw new SqlError('42P10', `GROUP BY position ${at} is not in select list`, {
        position: (node.A_Const.location ?? 0) + 1,
      })
    return found
  }
  if ('ColumnRef' in node && node.ColumnRef.fields?.length === 1) {
    const field = node.ColumnRef.fields[0]!
    const name = 'String' in field ? field.String.sval : undefined
    if (scope.entries.some(({ columns }) => columns.some((one) => one.name === name))) return node
    return targets.find((one) => one.name === name)?.val ?? node
  }
  return node
}

function addColumn(groups: Map<string, Expression>, node: Node, scope: Scope, expression: Expression): void {
  if (!('ColumnRef' in node)) return
  const names = (node.ColumnRef.fields ?? []).map((one) => ('String' in one ? one.String.sval : ''))
  for (const entry of scope.entries) {
    if (names.length > 1 && entry.alias !== names.at(-2)) continue
    const column = entry.columns.findIndex((one) => one.name === names.at(-1))
    if (column >= 0) groups.set(`column ${entry.slot}.${column}`, expression)
  }
}

/** Adds all columns of a table whose primary key is in GROUP BY. */
function addDependent(groups: Map<string, Expression>, scope: Scope, { backend }: Analysis): void {
  for (const entry of scope.entries) {
    const key = entry.table && backend.database.catalog.indexesOf(backend, entry.table).find((one) => one.primary)
    if (!key?.parts.every(({ column }) => groups.has(`column ${entry.slot}.${column}`))) continue
    entry.columns.forEach(({ type, typmod }, i) => {
      const name = `column ${entry.slot}.${i}`
      if (!groups.has(name)) groups.set(name, { type, typmod, evaluate: (row) => row.slots[entry.slot]?.[i] ?? null })
    })
  }
}

/** Returns one row per group: the first row of the group, with the aggregate results. */
export function groupRows(
  run: Run,
  outer: Row | null,
  rows: readonly Row[],
  keys: readonly Expression[],
  uses: readonly AggregateUse[],
  size: number,
): Row[] {
  const groups = new Map<string, { row: Row; states: unknown[] }>()
  const start = (row: Row) => ({ row, states: uses.map((use) => use.start()) })
  if (keys.length === 0) groups.set('', start(rows[0] ?? makeRow(run, outer, size)))
  for (const row of rows) {
    const name =
      keys.length === 0
        ? ''
        : keyOfRow(
            keys.map((key) => key.evaluate(row)),
            keys.map((key) => key.type),
          )
    let group = groups.get(name)
    if (!group) groups.set(name, (group = start(row)))
    uses.forEach((use, i) => {
      group.states[i] = use.step(group.states[i], row)
    })
  }
  return [...groups.values()].map(({ row, states }) => ({
    ...row,
    aggregates: uses.map((use, i) => use.finish(states[i])),
  }))
}
