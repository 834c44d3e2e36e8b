import type { JoinExpr, Node, RangeVar } from 'libpg-query'
import { keyText, type Table } from '../catalog/relations.ts'
import { type Analysis, newScope, type Scan, type Scope } from '../expressions/analysis.ts'
import { toBoolean } from '../expressions/compile-boolean.ts'
import { locationOf } from '../expressions/compile-expression.ts'
import type { Clause } from '../expressions/expression.ts'
import { binaryOperator } from '../expressions/operators.ts'
import { homesOf } from '../rows/partitions.ts'
import type { Row, Run } from '../run.ts'
import { type Access, accessOf } from '../serializable/access.ts'
import { noteRead } from '../serializable/watch.ts'
import { SqlError, UnsupportedSql } from '../sql-error.ts'
import type { RowVersion } from '../storage/row-version.ts'
import { compileFunction } from './from-function.ts'
import { joined } from './joins.ts'
import { pgTypeFields, pgTypeRows } from './pg-type.ts'
import { addEntry, filled, makeRow, type Source } from './source.ts'
import { findNamed, namedRows, renamed } from './with.ts'

export function compileFrom(analysis: Analysis, items: readonly Node[], scope: Scope): Source {
  const sources = items.map((item) => compileItem(analysis, item, scope))
  return sources.slice(1).reduce((left, right) => joined(left, right, null, 'JOIN_INNER'), sources[0] ?? nothing)
}

/**
 * Compiles the target of UPDATE or DELETE, joined with the other tables of the statement.
 * Subqueries and CTEs form the outer loop, as in PostgreSQL's plan if the target has a usable
 * index.
 */
export function compileTargetAndOthers(
  analysis: Analysis,
  relation: RangeVar,
  others: readonly Node[],
  scope: Scope,
): Source {
  const target = compileTable(analysis, relation, scope, 3)
  if (others.length === 0) return target
  const source = compileFrom(analysis, others, scope)
  const derived = source.slots.every((slot) => !scope.entries[slot]!.table)
  return derived ? joined(source, target, null, 'JOIN_INNER') : joined(target, source, null, 'JOIN_INNER')
}

/** The source of a query without FROM, which has one row. */
const nothing: Source = {
  slots: [],
  mayWait: false,
  // biome-ignore lint/correctness/useYield: it has nothing to wait for.
  *rows(run, outer, size) {
    return [makeRow(run, outer, size)]
  },
}

function compileItem(analysis: Analysis, item: Node, scope: Scope): Source {
  if ('RangeVar' in item) return compileTable(analysis, item.RangeVar, scope)
  if ('JoinExpr' in item) return compileJoin(analysis, item.JoinExpr, scope)
  if ('RangeSubselect' in item) {
    const { subquery, alias, lateral } = item.RangeSubselect
    if (lateral) throw new UnsupportedSql('LATERAL')
    if (!subquery || !('SelectStmt' in subquery)) throw new UnsupportedSql('that subquery')
    if (!alias)
      throw new SqlError('42601', 'subquery in FROM must have an alias', {
        hint: 'For example, FROM (SELECT ...) [AS] foo.',
      })
    // A subquery in FROM sees the outer queries and the CTEs of this query.
    const around = newScope(scope.parent)
    for (const [name, named] of scope.named) around.named.set(name, named)
    const inner = newScope(around)
    const names = (alias.colnames ?? []).map((one) => ('String' in one ? one.String.sval! : ''))
    const plan = renamed(analysis.query(subquery.SelectStmt, inner), names)
    const slot = addEntry(scope, alias.aliasname!, plan.fields, null)
    return {
      slots: [slot],
      mayWait: plan.mayWait,
      *rows(run, outer, size) {
        const found = yield* plan.rows(run, { ...makeRow(run, outer, 0) })
        return found.map((values) => filled(run, outer, size, slot, values, null))
      },
    }
  }
  if ('RangeFunction' in item) return compileFunction(analysis, item.RangeFunction, scope)
  throw new UnsupportedSql(`${Object.keys(item)[0]} in FROM`)
}

function compileTable(analysis: Analysis, item: RangeVar, scope: Scope, mode: 1 | 3 = 1): Source {
  const alias = item.alias?.aliasname ?? item.relname!
  const named = item.schemaname ? null : findNamed(scope, item.relname!)
  if (named) {
    const slot = addEntry(
      scope,
      alias,
      named.plan.fields.map((one) => ({ ...one, tableOid: 0, column: 0 })),
      null,
    )
    return {
      slots: [slot],
      mayWait: named.plan.mayWait,
      *rows(run, outer, size) {
        return (yield* namedRows(run, named)).map((values) => filled(run, outer, size, slot, values, null))
      },
    }
  }
  if (item.relname === 'pg_type' && (item.schemaname ?? 'pg_catalog') === 'pg_catalog') {
    const slot = addEntry(scope, alias, pgTypeFields, null)
    return {
      slots: [slot],
      mayWait: false,
      *rows(run, outer, size) {
        return pgTypeRows().map((values) => filled(run, outer, size, slot, values, null))
      },
    }
  }
  const table = analysis.table(item, 1)
  if (item.alias?.colnames?.length) throw new UnsupportedSql('names of columns behind a table’s alias')
  const columns = table.columns.map(({ name, type, typmod }, i) => ({
    name,
    type,
    typmod,
    tableOid: table.oid,
    column: i + 1,
  }))
  const slot = addEntry(scope, alias, columns, table, (item.location ?? 0) + 1)
  const scan: Scan = { table, alias, access: { kind: 'all' } }
  scope.scans.push(scan)
  const homes = homesOf(analysis, table)
  if (table.partitionKey) for (const home of homes) analysis.use(home, mode)
  return {
    slots: [slot],
    mayWait: false,
    // biome-ignore lint/correctness/useYield: a scan does not wait.
    *rows(run, outer, size) {
      const { snapshot } = run
      const found: Row[] = []
      for (const home of homes)
        for (const version of lookUp(run, home, scan.access, makeRow(run, outer, 0))) {
          if (snapshot.sees(version)) found.push(filled(run, outer, size, slot, version.values, version))
        }
      return found
    },
  }
}

/** The row versions to examine: those of one key, or all of the table. */
function lookUp(run: Run, table: Table, access: Access, row: Row): readonly RowVersion[] {
  const { backend } = run
  const heap = backend.database.catalog.heapOf(backend, table)
  let versions: readonly RowVersion[] = heap.versions
  let key: string | null = null
  if (access.kind === 'key') {
    const values = access.values.map((one) => one.evaluate(row))
    key = keyText(
      values,
      access.values.map(({ type }) => type),
      // A null in a condition matches nothing, even if the index has NULLS NOT DISTINCT.
      false,
    )
    versions = key === null ? [] : access.index.find(heap, key)
  }
  noteRead(run, heap, access, versions, key)
  return versions
}

/**
 * Chooses how the tables of the query are read, based on its condition. `sorted` is true if the
 * query has an ORDER BY.
 */
export function decideAccess(analysis: Analysis, scope: Scope, where: Node | undefined, sorted: boolean): void {
  const { backend } = analysis
  for (const scan of scope.scans) {
    const { table, alias } = scan
    if (table.partitionKey) scan.access = { kind: 'unclear' }
    else if (scope.entries.filter((one) => one.alias !== 'excluded').length === 1)
      scan.access = accessOf(analysis, table, alias, where, scope, sorted)
    else scan.access = { kind: backend.database.catalog.indexesOf(backend, table).length > 0 ? 'unclear' : 'all' }
  }
}

function compileJoin(analysis: Analysis, node: JoinExpr, scope: Scope): Source {
  if (node.isNatural) throw new UnsupportedSql('NATURAL JOIN')
  if (node.jointype !== 'JOIN_INNER' && node.jointype !== 'JOIN_LEFT') throw new UnsupportedSql(String(node.jointype))
  const left = compileItem(analysis, node.larg!, scope)
  const right = compileItem(analysis, node.rarg!, scope)
  let on: Clause | null = null
  if (node.quals) {
    const { quals } = node
    scope.aggregatesRefused = 'JOIN conditions'
    on = analysis.clause(quals, scope, (one) => toBoolean(analysis, one, 'JOIN/ON', locationOf(quals)))
  } else if (node.usingClause?.length) on = using(analysis, node, scope, left, right)
  if (node.jointype === 'JOIN_LEFT')
    for (const slot of right.slots) scope.entries[slot] = { ...scope.entries[slot]!, nullable: true }
  return joined(left, right, on, node.jointype)
}

function using(analysis: Analysis, node: JoinExpr, scope: Scope, left: Source, right: Source): Clause {
  const names = (node.usingClause ?? []).map((one) => ('String' in one ? one.String.sval! : ''))
  const tests = names.map((name) => {
    const columns = [left, right].map((source, i) => {
      for (const slot of source.slots) {
        const column = scope.entries[slot]!.columns.findIndex((one) => one.name === name)
        if (column >= 0)
          return {
            type: scope.entries[slot]!.columns[column]!.type,
            typmod: -1,
            evaluate: (row: Row) => row.slots[slot]?.[column] ?? null,
          }
      }
      throw new SqlError(
        '42703',
        `column "${name}" specified in USING clause does not exist in ${i === 0 ? 'left' : 'right'} table`,
      )
    })
    return binaryOperator(analysis, '=', columns[0]!, columns[1]!, 1)
  })
  for (const slot of right.slots) {
    const entry = scope.entries[slot]!
    scope.entries[slot] = { ...entry, merged: new Set([...(entry.merged ?? []), ...names]) }
  }
  return {
    type: tests[0]!.type,
    typmod: -1,
    parts: [],
    evaluate: (row) => tests.every((one) => one.evaluate(row) === true),
  }
}
