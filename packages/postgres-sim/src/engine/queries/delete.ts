import type { DeleteStmt } from 'libpg-query'
import type { Analysis, Plan, Scope } from '../expressions/analysis.ts'
import { homeOf } from '../rows/partitions.ts'
import { deleteRow } from '../rows/write-rows.ts'
import { type RowVersion, rowLocks } from '../storage/row-version.ts'
import type { Value } from '../values/value.ts'
import { decideAccess } from './from.ts'
import { latestToChange } from './recheck.ts'
import { condition, filtered, project } from './select.ts'
import { compileTargets } from './targets.ts'
import { compileTarget, refuseChanged } from './update.ts'
import { compileWith, runRest } from './with.ts'

export function compileDelete(analysis: Analysis, node: DeleteStmt, scope: Scope): Plan {
  const writing = compileWith(analysis, node.withClause, scope)
  const { table, source } = compileTarget(analysis, node.relation!, node.usingClause ?? [], scope)
  const where = node.whereClause ? condition(analysis, node.whereClause, scope, 'WHERE') : null
  decideAccess(analysis, scope, node.whereClause, false)
  scope.aggregatesRefused = 'RETURNING'
  const returning = compileTargets(analysis, node.returningList ?? [], scope)
  return {
    fields: returning.map((one) => one.field),
    mayWait: true,
    *rows(run, outer) {
      const found: Value[][] = []
      let count = 0
      for (const row of yield* filtered(run, source, where, outer, scope.entries.length)) {
        let version = row.versions[0]!
        const home = homeOf(table, version)
        for (;;) {
          const result = yield* deleteRow(run, home, version)
          if (result === 'locked') {
            count++
            if (returning.length > 0) found.push(yield* project(row, returning))
            break
          }
          if (result === 'own') break
          refuseChanged(run.backend, result)
          if (result === 'deleted') break
          const latest: RowVersion | null = yield* latestToChange(run, home, row, version, rowLocks.update, where)
          if (latest === null) break
          version = latest
        }
      }
      yield* runRest(run, writing)
      run.written = count
      return found
    },
  }
}
