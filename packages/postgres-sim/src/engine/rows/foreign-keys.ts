/** Checks foreign keys after a statement or before the commit, like PostgreSQL's triggers. */
import type { Backend } from '../backend.ts'
import { type ForeignKey, keyText, type Table } from '../catalog/relations.ts'
import type { Run, Running } from '../run.ts'
import type { Written } from '../session/transaction.ts'
import { SqlError } from '../sql-error.ts'
import { type RowVersion, rowLocks } from '../storage/row-version.ts'
import type { Value } from '../values/value.ts'
import { lockLatest } from './row-locks.ts'
import { deleteRow } from './write-rows.ts'

/** Checks the rows that a statement wrote. Cascading deletes may add more rows to check. */
export function* checkStatement(backend: Backend, from: number): Running<void> {
  const { written } = backend.state.ensure().innermost
  for (let at = from; at < written.length; at++) yield* check(backend, written[at]!, false)
}

/** Checks the deferred constraints of a transaction before its commit. */
export function* checkDeferred(backend: Backend): Running<void> {
  const { current } = backend.state
  if (!current || !backend.database.catalog.hasForeignKeys) return
  for (const { written } of current.levels) for (const one of written) yield* check(backend, one, true)
}

function* check(backend: Backend, one: Written, deferred: boolean): Running<void> {
  const { table, change, version, before } = one
  if (table.foreignKeys.length === 0 && table.referencedBy.length === 0) return
  const { catalog, ids } = backend.database
  if (ids.statusOf(version.xmin) === 'aborted') return
  if (change === 'delete') {
    for (const key of table.referencedBy) {
      if (!catalog.sees(backend, key.table)) continue
      const isLater = key.onDelete === 'a' && key.deferred
      if (isLater === deferred) yield* parentIsGone(backend, key, version)
    }
    return
  }
  // The version has been deleted or replaced since it was written. Only the newest version of a row
  // is checked.
  if (version.xmax !== 0 && ids.statusOf(version.xmax) !== 'aborted') return
  for (const key of table.foreignKeys) {
    if (key.deferred !== deferred) continue
    if (before && same(key, key.columns, before.values, version.values) && !isOwn(backend, before)) continue
    yield* childIsThere(backend, key, version)
  }
}

function isOwn(backend: Backend, { xmin }: RowVersion): boolean {
  return backend.ids.top(xmin) === backend.topXid
}

/** Creates a run that sees all changes of the transaction so far. */
function runOf(backend: Backend): Run {
  const current = backend.state.ensure()
  current.command++
  return {
    backend,
    snapshot: backend.state.snapshot(),
    command: current.command,
    parameters: [],
    once: null,
    written: 0,
  }
}

function textOf(table: Table, columns: readonly number[], values: readonly Value[]): string | null {
  return keyText(
    columns.map((at) => values[at] ?? null),
    columns.map((at) => table.columns[at]!.type),
    false,
  )
}

function same({ table }: ForeignKey, columns: readonly number[], a: readonly Value[], b: readonly Value[]): boolean {
  return textOf(table, columns, a) === textOf(table, columns, b)
}

/** Locks the referenced row, so that it cannot be deleted. Null if the row does not exist. */
function* parentOf(run: Run, { parent, index }: ForeignKey, key: string): Running<RowVersion | null> {
  const { backend } = run
  for (const version of index.find(backend.database.catalog.heapOf(backend, parent), key)) {
    if (!run.snapshot.sees(version)) continue
    const locked = yield* lockLatest(run, parent, version, rowLocks.keyShare, 'wait')
    if (typeof locked !== 'string') return locked
  }
  return null
}

function* childIsThere(backend: Backend, key: ForeignKey, version: RowVersion): Running<void> {
  const { table, columns, parent, name } = key
  const text = textOf(table, columns, version.values)
  if (text === null || (yield* parentOf(runOf(backend), key, text))) return
  throw new SqlError('23503', `insert or update on table "${table.name}" violates foreign key constraint "${name}"`, {
    detail: `Key ${titled(table, columns, version)} is not present in table "${parent.name}".`,
    schema: table.schema,
    table: table.name,
    constraint: name,
  })
}

function* parentIsGone(backend: Backend, key: ForeignKey, version: RowVersion): Running<void> {
  const { table, columns, parent, parentColumns, name, onDelete } = key
  const text = textOf(parent, parentColumns, version.values)
  if (text === null) return
  const run = runOf(backend)
  // Another row may have received the same key.
  if (onDelete === 'a' && (yield* parentOf(run, key, text))) return
  const heap = backend.database.catalog.heapOf(backend, table)
  for (const child of [...heap.versions]) {
    if (!run.snapshot.sees(child) || textOf(table, columns, child.values) !== text) continue
    if (onDelete === 'c') {
      yield* deleteRow(run, table, child)
      continue
    }
    if (typeof (yield* lockLatest(run, table, child, rowLocks.keyShare, 'wait')) === 'string') continue
    throw new SqlError(
      '23503',
      `update or delete on table "${parent.name}" violates foreign key constraint "${name}" on table "${table.name}"`,
      {
        detail: `Key ${titled(parent, parentColumns, version)} is still referenced from table "${table.name}".`,
        schema: table.schema,
        table: table.name,
        constraint: name,
      },
    )
  }
}

function titled(table: Table, columns: readonly number[], { values }: RowVersion): string {
  const names = columns.map((at) => table.columns[at]!.name)
  const shown = columns.map((at) => table.columns[at]!.type.write(values[at]!))
  return `(${names.join(', ')})=(${shown.join(', ')})`
}
