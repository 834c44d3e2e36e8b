import type { Index, Table } from '../catalog/relations.ts'
import { speculativeTag } from '../locks/lock-tag.ts'
import type { Run, Running } from '../run.ts'
import { noteWrite } from '../serializable/watch.ts'
import { UnsupportedSql } from '../sql-error.ts'
import { type RowLockMode, type RowVersion, rowLocks } from '../storage/row-version.ts'
import type { Type } from '../values/types.ts'
import type { Value } from '../values/value.ts'
import { settle } from './partitions.ts'
import { acquireRow, isFree, type LockResult } from './row-locks.ts'
import { enterUnique, keyOf, stateOfKey, type UsableIndex } from './unique.ts'

const none: ReadonlySet<UsableIndex> = new Set()

/**
 * Inserts a row and its index keys, in the order of the indexes. Returns null, and removes the row,
 * if another transaction inserted the same key of an ON CONFLICT arbiter first.
 */
export function insertRow(
  run: Run,
  table: Table,
  indexes: readonly UsableIndex[],
  values: readonly Value[],
  arbiters: ReadonlySet<UsableIndex>,
): Running<RowVersion | null>
export function insertRow(
  run: Run,
  table: Table,
  indexes: readonly UsableIndex[],
  values: readonly Value[],
): Running<RowVersion>
export function* insertRow(
  run: Run,
  table: Table,
  indexes: readonly UsableIndex[],
  values: readonly Value[],
  arbiters: ReadonlySet<UsableIndex> = none,
): Running<RowVersion | null> {
  const { backend } = run
  const heap = backend.database.catalog.heapOf(backend, table)
  const version = heap.add(values, backend.currentXid(), run.command)
  noteWrite(run, heap, {})
  if (arbiters.size > 0) {
    version.speculative = speculativeTag(version.xmin, ++backend.speculations)
    backend.tryLock(version.speculative, 7, 'transient')
  }
  try {
    for (const usable of indexes) {
      if (!usable.index.unique) continue
      const key = arbiters.has(usable) ? keyOf(usable, values, run) : null
      if (key !== null && stateOfKey(run, usable, heap, key, version).kind !== 'free') {
        const gone = new Set([version])
        heap.remove(gone)
        for (const { index } of indexes) index.remove(heap, gone)
        return null
      }
      yield* enterUnique(run, table, usable, heap, version)
    }
  } finally {
    if (version.speculative) backend.unlock(version.speculative, 7)
    version.speculative = null
  }
  settle(table, version)
  backend.wrote(table, 'insert', version)
  return version
}

export type ChangeResult =
  | { readonly result: Exclude<LockResult, 'locked' | 'would block'> }
  | { readonly result: 'changed'; readonly version: RowVersion }

/**
 * Replaces a version as soon as no other transaction blocks the change. The result shows whether
 * another transaction replaced or deleted the version first.
 */
export function* updateRow(
  run: Run,
  table: Table,
  indexes: readonly UsableIndex[],
  from: RowVersion,
  values: readonly Value[],
): Running<ChangeResult> {
  const { backend } = run
  const mode = lockModeOf(indexes, from, values)
  if (mode === rowLocks.update && table.referencedBy.length > 0)
    throw new UnsupportedSql('UPDATE of a key of a table that another one refers to')
  const result = isFree(run, from, mode) ? 'locked' : yield* acquireRow(run, table, from, mode, 'wait', 'updating')
  if (result !== 'locked') return { result: result as Exclude<LockResult, 'locked' | 'would block'> }
  const xid = backend.currentXid()
  const heap = backend.database.catalog.heapOf(backend, table)
  noteWrite(run, heap, { version: from })
  const version = heap.add(values, xid, run.command)
  from.xmax = xid
  from.cmax = run.command
  from.xmaxMode = strongest(run, from, xid, mode)
  from.next = version
  if (from.locks.length > 0)
    version.locks = from.locks.filter((lock) => backend.database.ids.statusOf(lock.xid) === 'active')
  // If no indexed column changes, the row is not added to indexes again (HOT).
  const inPlace = !indexes.some(({ columns }) => areChanged(table, columns, from.values, values))
  for (const usable of indexes) {
    if (!usable.index.unique) continue
    const key = keyOf(usable, values, run)
    // An unchanged key cannot conflict with another row.
    if (key !== null && (inPlace || key === keyOf(usable, from.values, run))) {
      if (!inPlace) noteWrite(run, heap, { entries: [{ index: usable.index, key }] })
      usable.index.add(heap, key, version)
    } else yield* enterUnique(run, table, usable, heap, version)
  }
  settle(table, version)
  backend.wrote(table, 'update', version, from)
  return { result: 'changed', version }
}

function areChanged(
  table: Table,
  columns: ReadonlySet<number>,
  before: readonly Value[],
  after: readonly Value[],
): boolean {
  for (const at of columns) if (differ(table.columns[at]!.type, before[at] ?? null, after[at] ?? null)) return true
  return false
}

function differ(type: Type, a: Value, b: Value): boolean {
  // The texts are compared, because 0 and -0 are equal but have different texts.
  if (Object.is(a, b)) return false
  return a === null || b === null || type.write(a) !== type.write(b)
}

/**
 * The lock mode of a change. If only this transaction had locked the row, the change keeps the
 * strength of that lock.
 */
function strongest({ backend }: Run, { locks }: RowVersion, xid: number, mode: RowLockMode): RowLockMode {
  if (locks.length === 0) return mode
  const [only, ...more] = locks.filter((lock) => backend.ids.statusOf(lock.xid) === 'active')
  return only?.xid === xid && more.length === 0 && only.mode > mode ? only.mode : mode
}

/** The strongest row lock that an update of these columns may need. */
export function lockModeFor(indexes: readonly UsableIndex[], columns: readonly number[]): RowLockMode {
  const touched = indexes.some(
    ({ index }) => isKey(index) && index.parts.some(({ column }) => columns.includes(column)),
  )
  return touched ? rowLocks.update : rowLocks.noKeyUpdate
}

/** True if a foreign key could reference the columns of the index. */
function isKey({ unique, predicate, parts }: Index): boolean {
  return unique && !predicate && parts.every((part) => part.column >= 0)
}

/**
 * The row lock that a change needs. A change of key columns needs the strongest lock, which
 * conflicts even with FOR KEY SHARE.
 */
export function lockModeOf(indexes: readonly UsableIndex[], from: RowVersion, values: readonly Value[]): RowLockMode {
  const changed = indexes.some(
    ({ index, types }) =>
      isKey(index) &&
      index.parts.some(({ column }, i) => differ(types[i]!, from.values[column] ?? null, values[column] ?? null)),
  )
  return changed ? rowLocks.update : rowLocks.noKeyUpdate
}

export function* deleteRow(run: Run, table: Table, from: RowVersion): Running<Exclude<LockResult, 'would block'>> {
  const { backend } = run
  const result = yield* acquireRow(run, table, from, rowLocks.update, 'wait', 'deleting')
  if (result !== 'locked') return result as Exclude<LockResult, 'would block'>
  noteWrite(run, backend.database.catalog.heapOf(backend, table), { version: from })
  from.xmax = backend.currentXid()
  from.cmax = run.command
  from.xmaxMode = rowLocks.update
  from.next = null
  backend.wrote(table, 'delete', from)
  return 'locked'
}
