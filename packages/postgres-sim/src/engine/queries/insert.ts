import type { InsertStmt, Node } from 'libpg-query'
import type { Table } from '../catalog/relations.ts'
import { type Analysis, newScope, type Plan, type Scope } from '../expressions/analysis.ts'
import { locationOf } from '../expressions/compile-expression.ts'
import { type Clause, evaluateClauses, evaluated, mayWait } from '../expressions/expression.ts'
import { compileConstraints } from '../rows/constraints.ts'
import { forHomes, routed } from '../rows/partitions.ts'
import { tableScope, usableIndexes } from '../rows/usable-indexes.ts'
import { insertRow } from '../rows/write-rows.ts'
import { emptyRow, type Row, type Run, type Running, rowWith } from '../run.ts'
import { SqlError, UnsupportedSql } from '../sql-error.ts'
import type { Value } from '../values/value.ts'
import { assigned, assignedNode, columnAt, compileGenerated, fallbackOf } from './assignments.ts'
import { compileOnConflict } from './on-conflict.ts'
import { compileTargets } from './targets.ts'
import { compileWith, runRest } from './with.ts'

export function compileInsert(analysis: Analysis, node: InsertStmt, scope: Scope): Plan {
  const writing = compileWith(analysis, node.withClause, scope)
  const table = analysis.table(node.relation!, 3)
  analysis.writes = true
  const alias = node.relation!.alias?.aliasname ?? table.name
  const named = targetColumns(table, node.cols ?? [])
  // The source of INSERT cannot reference the target table.
  const [target] = tableScope(table, alias).entries
  scope.hidden.push(target!)
  const source = compileSource(analysis, node, table, named, scope)
  scope.hidden.length = 0
  const generate = compileGenerated(analysis, table)
  const { onConflictClause } = node
  const of = forHomes(analysis, table, (home) => {
    const check = compileConstraints(analysis, home)
    const indexes = usableIndexes(analysis, home)
    const conflict = onConflictClause
      ? compileOnConflict(analysis, onConflictClause, home, alias, indexes, scope, { generate, check })
      : null
    return { check, indexes, conflict }
  })
  const only = table.partitionKey ? null : of(table)
  const returning = node.returningList
    ? compileTargets(analysis, node.returningList, returningScope(table, alias, scope, node))
    : []
  const answered = returning.map(({ clause }) => clause)
  return {
    fields: returning.map((one) => one.field),
    mayWait: true,
    *rows(run, outer) {
      const found: Value[][] = []
      let count = 0
      for (const values of source.atOnce?.(run, outer) ?? (yield* source.slowly(run, outer))) {
        generate(run, values)
        const home = only ? table : yield* routed(run, table, values)
        const { check, indexes, conflict } = only ?? of(home)
        check(run, values)
        const version = conflict ? yield* conflict(run, outer, values) : yield* insertRow(run, home, indexes, values)
        if (!version) continue
        count++
        if (returning.length === 0) continue
        const row = withRow(run, outer, version.values, version)
        found.push(answered.some(mayWait) ? yield* evaluateClauses(answered, row) : evaluated(answered, row))
      }
      if (writing.length > 0) yield* runRest(run, writing)
      run.written = count
      return found
    },
  }
}

/** The scope of RETURNING, which sees only the target table and the CTEs. */
function returningScope(table: Table, alias: string, around: Scope, { onConflictClause }: InsertStmt): Scope {
  const scope = tableScope(table, alias, around)
  scope.aggregatesRefused = 'RETURNING'
  if (onConflictClause?.action === 'ONCONFLICT_UPDATE')
    scope.hidden.push({ alias: 'excluded', columns: scope.entries[0]!.columns })
  return scope
}

function withRow(run: Run, outer: Row | null, values: readonly Value[], version: Row['versions'][number]): Row {
  return rowWith(run, emptyRow(run, outer), [values], [version])
}

function targetColumns(table: Table, cols: readonly Node[]): number[] | null {
  if (cols.length === 0) return null
  const found = cols.map((one) =>
    'ResTarget' in one ? columnAt(table, one.ResTarget.name!, one.ResTarget.location) : -1,
  )
  found.forEach((at, i) => {
    if (found.indexOf(at) === i) return
    const col = cols[i]!
    const location = 'ResTarget' in col ? (col.ResTarget.location ?? 0) : 0
    throw new SqlError('42701', `column "${table.columns[at]!.name}" specified more than once`, {
      position: location + 1,
    })
  })
  return found
}

/** Computes the rows to insert. `atOnce` is null if the computation may wait. */
interface Rows {
  readonly atOnce: ((run: Run, outer: Row | null) => Value[][]) | null
  slowly(run: Run, outer: Row | null): Running<Value[][]>
}

function compileSource(analysis: Analysis, node: InsertStmt, table: Table, named: number[] | null, scope: Scope): Rows {
  const select = node.selectStmt && 'SelectStmt' in node.selectStmt ? node.selectStmt.SelectStmt : null
  if (node.override === 'OVERRIDING_USER_VALUE') throw new UnsupportedSql('OVERRIDING USER VALUE')
  const overrides = node.override === 'OVERRIDING_SYSTEM_VALUE'
  const given = (count: number, positionOf: (i: number) => number) => {
    const columns = named ?? table.columns.slice(0, count).map((_, i) => i)
    if (count > (named ?? table.columns).length) {
      throw new SqlError('42601', 'INSERT has more expressions than target columns', {
        position: positionOf(columns.length) + 1,
      })
    }
    if (named && count < named.length) {
      const target = node.cols![count]!
      throw new SqlError('42601', 'INSERT has more target columns than expressions', {
        position: ('ResTarget' in target ? (target.ResTarget.location ?? 0) : 0) + 1,
      })
    }
    return columns
  }
  const clauses = (columns: readonly number[], of: (i: number, at: number) => Clause): Clause[] =>
    table.columns.map((column, at) => {
      const i = columns.indexOf(at)
      return i < 0 ? fallbackOf(analysis, column) : of(i, at)
    })
  if (!select) return compileRows([clauses([], () => neverAsked())])
  if (select.valuesLists?.length && !select.sortClause && !select.limitCount && !select.withClause) {
    const lists = select.valuesLists.map((one) => ('List' in one ? (one.List.items ?? []) : []))
    const uneven = lists.find((one) => one.length !== lists[0]!.length)
    if (uneven)
      throw new SqlError('42601', 'VALUES lists must all be the same length', { position: locationOf(uneven[0]!) + 1 })
    const columns = given(lists[0]!.length, (i) => locationOf(lists[0]![i]!))
    const around = newScope(scope)
    around.aggregatesRefused = 'VALUES'
    return compileRows(
      lists.map((items) =>
        clauses(columns, (i, at) => {
          const column = table.columns[at]!
          const item = items[i]!
          if ('SetToDefault' in item) return fallbackOf(analysis, column)
          refuseValue(table, at, overrides)
          return assignedNode(analysis, item, { ...column, identity: null, generated: null }, around)
        }),
      ),
    )
  }
  const inner = newScope(scope)
  const plan = analysis.query(select, inner, true)
  const columns = given(plan.fields.length, () => 0)
  for (const at of columns) refuseValue(table, at, overrides)
  for (const [i, at] of columns.entries()) plan.settle?.(i, table.columns[at]!.type)
  let current: readonly Value[] = []
  const all = clauses(columns, (i, at) => {
    const { type, typmod } = plan.fields[i]!
    return {
      parts: [],
      ...assigned(analysis, { type, typmod, evaluate: () => current[i]! }, table.columns[at]!, plan.places?.[i] ?? -1),
    }
  })
  return {
    atOnce: null,
    *slowly(run, outer) {
      const row = emptyRow(run, emptyRow(run, outer))
      const rows = yield* plan.rows(run, emptyRow(run, outer))
      const found: Value[][] = []
      for (const values of rows) {
        current = values
        found.push(all.map((one) => one.evaluate(row)))
      }
      return found
    },
  }
}

function neverAsked(): Clause {
  throw new Error('DEFAULT VALUES names no column')
}

function refuseValue(table: Table, at: number, overrides: boolean): void {
  const { name, identity, generated } = table.columns[at]!
  if (generated) {
    throw new SqlError('428C9', `cannot insert a non-DEFAULT value into column "${name}"`, {
      detail: `Column "${name}" is a generated column.`,
    })
  }
  if (identity !== 'always' || overrides) return
  throw new SqlError('428C9', `cannot insert a non-DEFAULT value into column "${name}"`, {
    detail: `Column "${name}" is an identity column defined as GENERATED ALWAYS.`,
    hint: 'Use OVERRIDING SYSTEM VALUE to override.',
  })
}

function compileRows(lists: readonly Clause[][]): Rows {
  const rowOf = (run: Run, outer: Row | null) => emptyRow(run, emptyRow(run, outer))
  return {
    atOnce: lists.flat().some(mayWait) ? null : (run, outer) => lists.map((list) => evaluated(list, rowOf(run, outer))),
    *slowly(run, outer) {
      const found: Value[][] = []
      for (const list of lists) found.push(yield* evaluateClauses(list, rowOf(run, outer)))
      return found
    },
  }
}
