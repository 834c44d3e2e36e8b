import type { Node, SelectStmt } from 'libpg-query'
import type { Analysis, Plan, Scope, WindowUse } from '../expressions/analysis.ts'
import { columnNames } from '../expressions/columns.ts'
import { toBoolean } from '../expressions/compile-boolean.ts'
import { locationOf } from '../expressions/compile-expression.ts'
import { type Clause, evaluateClause, mayWait } from '../expressions/expression.ts'
import type { Row, Run, Running } from '../run.ts'
import { UnsupportedSql } from '../sql-error.ts'
import { types } from '../values/types.ts'
import type { Value } from '../values/value.ts'
import { distinctRows } from './distinct.ts'
import { compileFrom, decideAccess } from './from.ts'
import { compileGroups, groupRows, hasAggregate } from './groups.ts'
import { compileLimit, type Limit, limitsOf } from './limit.ts'
import { compileLocking, type LockedTable, lockRow } from './locking.ts'
import { compileOrder, type SortKey, sortRows } from './order.ts'
import { stillFits } from './recheck.ts'
import type { Source } from './source.ts'
import { compileTargets, settledTarget, type Target } from './targets.ts'
import { compileUnion } from './union.ts'
import { compileValues } from './values.ts'
import { numberRows } from './windows.ts'
import { compileWith, runRest } from './with.ts'

export function compileQuery(analysis: Analysis, select: SelectStmt, scope: Scope, keepsUnknown = false): Plan {
  const writing = compileWith(analysis, select.withClause, scope)
  const plan = compileBody(analysis, select, scope, keepsUnknown)
  if (writing.length === 0) return plan
  return {
    ...plan,
    mayWait: true,
    *rows(run, outer) {
      const rows = yield* plan.rows(run, outer)
      yield* runRest(run, writing)
      return rows
    },
  }
}

/** Rewrites `SELECT unnest(…)`, which returns a row per element, to the same function in FROM. */
function withRowsInFrom(select: SelectStmt): SelectStmt {
  const [target, ...more] = select.targetList ?? []
  const call = target && 'ResTarget' in target ? target.ResTarget.val : undefined
  if (!target || !('ResTarget' in target) || !call || !('FuncCall' in call) || more.length > 0) return select
  const names = (call.FuncCall.funcname ?? []).map((one) => ('String' in one ? one.String.sval : ''))
  const { fromClause, whereClause, groupClause, sortClause, distinctClause, limitCount, limitOffset } = select
  if (names.at(-1) !== 'unnest' || names.length > 1 || fromClause || whereClause || groupClause) return select
  if (sortClause || distinctClause || limitCount || limitOffset) return select
  const column: Node = { ColumnRef: { fields: [{ String: { sval: 'unnest' } }], location: call.FuncCall.location! } }
  return {
    ...select,
    fromClause: [{ RangeFunction: { functions: [{ List: { items: [call] } }] } }],
    targetList: [{ ResTarget: { ...target.ResTarget, val: column } }],
  }
}

function compileBody(analysis: Analysis, given: SelectStmt, scope: Scope, keepsUnknown: boolean): Plan {
  const select = withRowsInFrom(given)
  if (select.intoClause) throw new UnsupportedSql('SELECT INTO')
  if (select.windowClause?.length) throw new UnsupportedSql('WINDOW')
  if (select.op && select.op !== 'SETOP_NONE') return compileUnion(analysis, select, scope)
  if (select.valuesLists?.length) return compileValues(analysis, select, scope)
  const source = compileFrom(analysis, select.fromClause ?? [], scope)
  const where = select.whereClause ? condition(analysis, select.whereClause, scope, 'WHERE') : null
  decideAccess(analysis, scope, select.whereClause, (select.sortClause?.length ?? 0) > 0)
  const list = select.targetList ?? []
  const isGrouped =
    (select.groupClause?.length ?? 0) > 0 ||
    !!select.havingClause ||
    hasAggregate(list) ||
    hasAggregate(select.sortClause ?? [])
  const groupKeys = isGrouped ? compileGroups(analysis, select, scope) : null
  if (isGrouped) scope.aggregates = []
  scope.aggregatesRefused = null
  const windows: WindowUse[] = []
  if (!isGrouped) scope.windows = windows
  const targets = compileTargets(analysis, list, scope, keepsUnknown)
  scope.windows = null
  for (const at of sortedTargets(select, targets)) targets[at] = settledTarget(analysis, targets[at]!, types.text)
  const fields = targets.map((one) => one.field)
  const having = select.havingClause ? condition(analysis, select.havingClause, scope, 'HAVING') : null
  const order = compileOrder(analysis, select.sortClause ?? [], targets, scope, distinctKind(select))
  const distinct = select.distinctClause ? compileDistinct(analysis, select.distinctClause, targets, scope) : null
  const locking = compileLocking(analysis, select.lockingClause ?? [], scope, {
    isGrouped,
    isDistinct: distinct !== null,
    where: select.whereClause,
  })
  if (locking.length > 0 && windows.length > 0) throw new UnsupportedSql('a window function in a query that locks rows')
  const limit = compileLimit(analysis, select, scope)
  const parts = { source, where, targets, order, distinct, locking, limit, size: () => scope.entries.length }
  const clauses: readonly (Clause | null)[] = [
    where,
    having,
    ...targets.map((one) => one.clause),
    ...order.map((one) => one.clause),
    limit.count,
    limit.offset,
  ]
  return {
    fields,
    places: targets.map((one) => one.location),
    settle(at, type) {
      targets[at] = settledTarget(analysis, targets[at]!, type)
      fields[at] = targets[at].field
    },
    mayWait: source.mayWait || locking.length > 0 || clauses.some((one) => (one?.parts.length ?? 0) > 0),
    *rows(run, outer) {
      let rows = yield* filtered(run, source, where, outer, parts.size())
      if (groupKeys) {
        rows = groupRows(run, outer, rows, groupKeys, scope.aggregates!, parts.size())
        if (having) rows = yield* keep(rows, having)
      }
      numberRows(rows, windows)
      return yield* answer(run, rows, parts)
    },
  }
}

function distinctKind({ distinctClause }: SelectStmt): 'rows' | 'on' | null {
  if (!distinctClause) return null
  return distinctClause.some((one) => one && Object.keys(one).length > 0) ? 'on' : 'rows'
}

/** The targets that need a type because DISTINCT, ORDER BY or GROUP BY compares them. */
function sortedTargets({ distinctClause, sortClause, groupClause }: SelectStmt, targets: readonly Target[]): number[] {
  if (distinctClause) return targets.map((_, i) => i)
  return [...(sortClause ?? []), ...(groupClause ?? [])].flatMap((one) => {
    const node = 'SortBy' in one ? one.SortBy.node! : one
    if ('A_Const' in node) {
      const at = (node.A_Const.ival?.ival ?? 0) - 1
      return at in targets ? [at] : []
    }
    if (!('ColumnRef' in node)) return []
    const at = targets.findIndex((target) => target.field.name === columnNames(node.ColumnRef).at(-1))
    return at < 0 ? [] : [at]
  })
}

export function condition(analysis: Analysis, node: Node, scope: Scope, title: string): Clause {
  const refused = scope.aggregatesRefused
  if (title !== 'HAVING') scope.aggregatesRefused = title
  const clause = analysis.clause(node, scope, (one) => toBoolean(analysis, one, title, locationOf(node)))
  scope.aggregatesRefused = refused
  return clause
}

export function* filtered(
  run: Run,
  source: Source,
  where: Clause | null,
  outer: Row | null,
  size: number,
): Running<Row[]> {
  const rows = yield* source.rows(run, outer, size)
  return where ? yield* keep(rows, where) : rows
}

function* keep(rows: readonly Row[], clause: Clause): Running<Row[]> {
  const kept: Row[] = []
  const waits = mayWait(clause)
  for (const row of rows)
    if ((waits ? yield* evaluateClause(clause, row) : clause.evaluate(row)) === true) kept.push(row)
  return kept
}

interface Parts {
  readonly source: Source
  readonly where: Clause | null
  readonly targets: readonly Target[]
  readonly order: readonly SortKey[]
  readonly distinct: readonly Clause[] | null
  readonly locking: readonly LockedTable[]
  readonly limit: Limit
}

/**
 * Sorts the rows, and then locks them until LIMIT is reached: rows beyond the limit are not locked.
 */
function* answer(run: Run, rows: Row[], parts: Parts): Running<readonly (readonly Value[])[]> {
  const { offset, count } = yield* limitsOf(run, parts.limit)
  const sorted = parts.order.length > 0 ? yield* sortRows(rows, parts.order) : rows
  if (parts.locking.length === 0 && !parts.distinct) {
    const asked = sorted.slice(offset, offset + count)
    const found: Value[][] = []
    for (const row of asked) found.push(yield* project(row, parts.targets))
    return found
  }
  if (parts.distinct) {
    const found: { row: Row; values: readonly Value[] }[] = []
    for (const row of sorted) found.push({ row, values: yield* project(row, parts.targets) })
    return distinctRows(found, parts.distinct, parts.targets).slice(offset, offset + count)
  }
  const { source, where } = parts
  function* isAskedFor(row: Row): Running<boolean> {
    return (!source.stillThere || (yield* source.stillThere(row))) && (yield* stillFits(row, where))
  }
  const found: Value[][] = []
  let passed = 0
  for (const row of sorted) {
    if (found.length >= count) break
    if (!(yield* lockRow(run, row, parts.locking, isAskedFor))) continue
    if (passed++ >= offset) found.push(yield* project(row, parts.targets))
  }
  return found
}

export function* project(row: Row, targets: readonly Target[]): Running<Value[]> {
  const values: Value[] = []
  for (const { clause } of targets)
    values.push(mayWait(clause) ? yield* evaluateClause(clause, row) : clause.evaluate(row))
  return values
}

function compileDistinct(
  analysis: Analysis,
  nodes: readonly Node[],
  targets: readonly Target[],
  scope: Scope,
): Clause[] {
  // DISTINCT without ON has one empty entry.
  const given = nodes.filter((one) => one && Object.keys(one).length > 0)
  if (given.length === 0) return []
  return given.map((node) => {
    if ('A_Const' in node && node.A_Const.ival) return targets[(node.A_Const.ival.ival ?? 0) - 1]!.clause
    return analysis.clause(node, scope)
  })
}
