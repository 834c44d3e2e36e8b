import type { InferClause, OnConflictClause } from 'libpg-query'
import type { Table } from '../catalog/relations.ts'
import type { Analysis, Scope } from '../expressions/analysis.ts'
import { evaluateClause } from '../expressions/expression.ts'
import { expressionText } from '../expressions/expression-text.ts'
import type { CheckRow } from '../rows/constraints.ts'
import { implies } from '../rows/implication.ts'
import { formOf } from '../rows/predicate-form.ts'
import { acquireRow, isFree, type LockResult, markLocked } from '../rows/row-locks.ts'
import { keyOf, stateOfKey, type UsableIndex, untilDecided } from '../rows/unique.ts'
import { tableScope } from '../rows/usable-indexes.ts'
import { insertRow, lockModeFor, updateRow } from '../rows/write-rows.ts'
import { emptyRow, type Row, type Run, type Running, rowWith } from '../run.ts'
import { noteFetch } from '../serializable/watch.ts'
import { SqlError, UnsupportedSql } from '../sql-error.ts'
import type { RowVersion } from '../storage/row-version.ts'
import type { Value } from '../values/value.ts'
import { condition } from './select.ts'
import { compileSets } from './update.ts'

/** Inserts a row or performs the ON CONFLICT action. Returns null if no row was written. */
export type InsertOrElse = (run: Run, outer: Row | null, values: readonly Value[]) => Running<RowVersion | null>

interface Tools {
  generate(run: Run, values: Value[]): void
  readonly check: CheckRow
}

/** Compiles ON CONFLICT: https://www.postgresql.org/docs/15/sql-insert.html#SQL-ON-CONFLICT */
export function compileOnConflict(
  analysis: Analysis,
  node: OnConflictClause,
  table: Table,
  alias: string,
  indexes: readonly UsableIndex[],
  around: Scope,
  tools: Tools,
): InsertOrElse {
  const updates = node.action === 'ONCONFLICT_UPDATE'
  if (updates && !node.infer) {
    throw new SqlError('42601', 'ON CONFLICT DO UPDATE requires inference specification or constraint name', {
      hint: 'For example, ON CONFLICT (column_name).',
      position: (node.location ?? 0) + 1,
    })
  }
  const arbiters = node.infer
    ? inferred(analysis, node.infer, table, alias, indexes)
    : indexes.filter(({ index }) => index.unique)
  const scope = tableScope(table, alias, around)
  scope.entries.push({ ...scope.entries[0]!, alias: 'excluded', slot: 1, table: null })
  scope.aggregatesRefused = 'UPDATE'
  const sets = updates ? compileSets(analysis, node.targetList ?? [], table, scope) : null
  const where = updates && node.whereClause ? condition(analysis, node.whereClause, scope, 'WHERE') : null
  const mode = sets ? lockModeFor(indexes, sets.columns) : 0
  return function* (run, outer, values) {
    for (;;) {
      let taken = conflictAtOnce(run, table, arbiters, values)
      if (taken === 'undecided') taken = yield* findConflict(run, table, arbiters, values)
      if (!taken) {
        const version = yield* insertRow(run, table, indexes, values, new Set(arbiters))
        if (version) return version
        continue
      }
      if (!sets) {
        mustSee(run, taken)
        return null
      }
      mustBeFirst(run, taken)
      const result = isFree(run, taken, mode) ? 'locked' : yield* acquireRow(run, table, taken, mode, 'wait', 'locking')
      if (!isLocked(run, taken, mode, result)) continue
      const row = bothRows(run, outer, taken, values)
      if (where && (yield* evaluateClause(where, row)) !== true) return null
      const changed = sets.mayWait ? yield* sets.apply(row, taken.values) : sets.applied(row, taken.values)
      tools.generate(run, changed)
      tools.check(run, changed)
      const updated = yield* updateRow(run, table, indexes, taken, changed)
      if (updated.result !== 'changed')
        throw new Error('a row that is locked cannot be replaced by another transaction')
      return updated.version
    }
  }
}

function bothRows(run: Run, outer: Row | null, taken: RowVersion, values: readonly Value[]): Row {
  return rowWith(run, emptyRow(run, outer), [taken.values, values], [taken, null])
}

/**
 * The existing row with the same key; null if no row has the key; `undecided` if that depends on
 * an active transaction.
 */
function conflictAtOnce(
  run: Run,
  table: Table,
  arbiters: readonly UsableIndex[],
  values: readonly Value[],
): RowVersion | null | 'undecided' {
  const heap = run.backend.database.catalog.heapOf(run.backend, table)
  for (const usable of arbiters) {
    const key = keyOf(usable, values, run)
    if (key === null) continue
    const state = stateOfKey(run, usable, heap, key, null)
    if (state.kind === 'undecided') return state.kind
    if (state.kind === 'free') continue
    noteFetch(run, heap, state.by)
    return state.by
  }
  return null
}

/** Like `conflictAtOnce`, but waits until the result is decided. */
function* findConflict(
  run: Run,
  table: Table,
  arbiters: readonly UsableIndex[],
  values: readonly Value[],
): Running<RowVersion | null> {
  const { backend } = run
  const heap = backend.database.catalog.heapOf(backend, table)
  for (const usable of arbiters) {
    const key = keyOf(usable, values, run)
    if (key === null) continue
    for (;;) {
      const state = stateOfKey(run, usable, heap, key, null)
      if (state.kind === 'free') break
      if (state.kind === 'taken') {
        noteFetch(run, heap, state.by)
        return state.by
      }
      yield* untilDecided(run, state, `while inserting index tuple (0,${state.by.tid}) in relation "${table.name}"`)
    }
  }
  return null
}

/** Checks that this statement has not written the row itself. @throws SqlError 21000 */
function mustBeFirst({ snapshot, command }: Run, taken: RowVersion): void {
  if (!snapshot.isOwn(taken.xmin) || taken.cmin < command) return
  throw new SqlError('21000', 'ON CONFLICT DO UPDATE command cannot affect row a second time', {
    hint: 'Ensure that no rows proposed for insertion within the same command have duplicate constrained values.',
  })
}

/**
 * Evaluates the result of locking the row. Returns false if the row has changed, so that the key
 * must be searched again.
 * @throws SqlError 40001
 */
function isLocked(run: Run, taken: RowVersion, mode: 0 | 1 | 2 | 3, result: LockResult): boolean {
  if (result === 'locked') {
    markLocked(run, taken, mode)
    mustSee(run, taken)
    return true
  }
  if (run.backend.state.current!.keepsSnapshot) {
    throw new SqlError(
      '40001',
      `could not serialize access due to concurrent ${result === 'deleted' ? 'delete' : 'update'}`,
    )
  }
  return false
}

/** If the transaction keeps its snapshot, checks that the snapshot sees the conflicting row. */
function mustSee({ backend, snapshot }: Run, taken: RowVersion): void {
  if (!backend.state.current!.keepsSnapshot || snapshot.sees(taken) || snapshot.isOwn(taken.xmin)) return
  throw new SqlError('40001', 'could not serialize access due to concurrent update')
}

/** The unique indexes that match the conflict target. @throws SqlError 42P10, 42704 */
function inferred(
  analysis: Analysis,
  infer: InferClause,
  table: Table,
  alias: string,
  indexes: readonly UsableIndex[],
): UsableIndex[] {
  if (infer.conname) {
    const found = indexes.filter(({ index }) => index.name === infer.conname && index.constraint)
    if (found.length > 0) return found
    throw new SqlError('42704', `constraint "${infer.conname}" for table "${table.name}" does not exist`)
  }
  const asked = (infer.indexElems ?? []).map((one) => {
    if (!('IndexElem' in one)) throw new UnsupportedSql('this target of ON CONFLICT')
    const { name, expr } = one.IndexElem
    if (!name) return expressionText(expr!)
    const at = table.columns.findIndex((column) => column.name === name)
    if (at < 0) throw new SqlError('42703', `column "${name}" does not exist`, { position: (infer.location ?? 0) + 1 })
    return String(at)
  })
  // The condition is compiled to check names and types; it need not be boolean.
  if (infer.whereClause) analysis.clause(infer.whereClause, tableScope(table, alias))
  const given = infer.whereClause ? formOf(infer.whereClause, table) : null
  const found = indexes.filter(({ index }) => {
    if (!index.unique) return false
    const has = index.parts.map(({ column, expression }) =>
      column >= 0 ? String(column) : expressionText(expression!),
    )
    if (has.some((one) => !asked.includes(one)) || asked.some((one) => !has.includes(one))) return false
    if (index.predicate === null) return true
    const verdict = given === null ? 'no' : implies(given, formOf(index.predicate, table))
    if (verdict === 'unclear')
      throw new UnsupportedSql(`a WHERE of ON CONFLICT that does not repeat the predicate of index "${index.name}"`)
    return verdict === 'yes'
  })
  if (found.length > 0) return found
  throw new SqlError('42P10', 'there is no unique or exclusion constraint matching the ON CONFLICT specification')
}
