import type { Node, UpdateStmt } from 'libpg-query'
import type { Table } from '../catalog/relations.ts'
import type { Analysis, Plan, Scope } from '../expressions/analysis.ts'
import { evaluateClause, mayWait } from '../expressions/expression.ts'
import { compileConstraints } from '../rows/constraints.ts'
import { forHomes, homeOf, mustStay } from '../rows/partitions.ts'
import { usableIndexes } from '../rows/usable-indexes.ts'
import { lockModeOf, updateRow } from '../rows/write-rows.ts'
import type { Row, Running } from '../run.ts'
import { SqlError, UnsupportedSql } from '../sql-error.ts'
import type { RowVersion } from '../storage/row-version.ts'
import type { Value } from '../values/value.ts'
import { assignedNode, columnAt, compileGenerated } from './assignments.ts'
import { compileTargetAndOthers, decideAccess } from './from.ts'
import { latestToChange } from './recheck.ts'
import { condition, filtered, project } from './select.ts'
import { compileTargets } from './targets.ts'
import { compileWith, runRest } from './with.ts'

/** A compiled SET clause, which computes the new row. */
export interface Sets {
  readonly columns: readonly number[]
  readonly mayWait: boolean
  apply(row: Row, before: readonly Value[]): Running<Value[]>
  /** Like `apply`, for clauses that cannot wait. */
  applied(row: Row, before: readonly Value[]): Value[]
}

export function compileSets(analysis: Analysis, list: readonly Node[], table: Table, scope: Scope): Sets {
  const sets = list.map((one) => {
    if (!('ResTarget' in one)) throw new UnsupportedSql('that SET')
    const { name, val, location, indirection } = one.ResTarget
    if (indirection?.length || (val && 'MultiAssignRef' in val)) throw new UnsupportedSql('SET (a, b) = …')
    const at = columnAt(table, name!, location)
    return { at, clause: assignedNode(analysis, val!, table.columns[at]!, scope) }
  })
  const twice = sets.find(({ at }, i) => sets.findIndex((other) => other.at === at) < i)
  if (twice) throw new SqlError('42601', `multiple assignments to same column "${table.columns[twice.at]!.name}"`)
  return {
    columns: sets.map(({ at }) => at),
    mayWait: sets.some(({ clause }) => mayWait(clause)),
    *apply(row, before) {
      const values = [...before]
      for (const { at, clause } of sets) values[at] = yield* evaluateClause(clause, row)
      return values
    },
    applied(row, before) {
      const values = [...before]
      for (const { at, clause } of sets) values[at] = clause.evaluate(row)
      return values
    },
  }
}

export function compileUpdate(analysis: Analysis, node: UpdateStmt, scope: Scope): Plan {
  const writing = compileWith(analysis, node.withClause, scope)
  const { table, source } = compileTarget(analysis, node.relation!, node.fromClause ?? [], scope)
  scope.aggregatesRefused = 'UPDATE'
  const sets = compileSets(analysis, node.targetList ?? [], table, scope)
  const where = node.whereClause ? condition(analysis, node.whereClause, scope, 'WHERE') : null
  decideAccess(analysis, scope, node.whereClause, false)
  scope.aggregatesRefused = 'RETURNING'
  const returning = compileTargets(analysis, node.returningList ?? [], scope)
  const generate = compileGenerated(analysis, table)
  const of = forHomes(analysis, table, (home) => ({
    check: compileConstraints(analysis, home),
    indexes: usableIndexes(analysis, home),
  }))
  return {
    fields: returning.map((one) => one.field),
    mayWait: true,
    *rows(run, outer) {
      const found: Value[][] = []
      let count = 0
      for (const row of yield* filtered(run, source, where, outer, scope.entries.length)) {
        let version = row.versions[0]!
        const home = homeOf(table, version)
        const { check, indexes } = of(home)
        for (;;) {
          const values = sets.mayWait ? yield* sets.apply(row, version.values) : sets.applied(row, version.values)
          generate(run, values)
          mustStay(run, table, home, values)
          check(run, values)
          const result = yield* updateRow(run, home, indexes, version, values)
          if (result.result === 'changed') {
            count++
            row.slots[0] = result.version.values
            row.versions[0] = result.version
            if (returning.length > 0) found.push(yield* project(row, returning))
            break
          }
          if (result.result === 'own') break
          refuseChanged(run.backend, result.result)
          if (result.result === 'deleted') break
          const mode = lockModeOf(indexes, version, values)
          const latest: RowVersion | null = yield* latestToChange(run, home, row, version, mode, where)
          if (latest === null) break
          version = latest
        }
      }
      if (writing.length > 0) yield* runRest(run, writing)
      run.written = count
      return found
    },
  }
}

/**
 * If the transaction keeps its snapshot, refuses to change a row that another transaction has
 * changed since the snapshot.
 */
export function refuseChanged(backend: Analysis['backend'], result: 'updated' | 'deleted'): void {
  if (!backend.state.current!.keepsSnapshot) return
  throw new SqlError(
    '40001',
    `could not serialize access due to concurrent ${result === 'deleted' ? 'delete' : 'update'}`,
  )
}

export function compileTarget(
  analysis: Analysis,
  relation: NonNullable<UpdateStmt['relation']>,
  others: readonly Node[],
  scope: Scope,
) {
  const table = analysis.table(relation, 3)
  analysis.writes = true
  return { table, source: compileTargetAndOthers(analysis, relation, others, scope) }
}
