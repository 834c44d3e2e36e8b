import type { Index } from '../catalog/relations.ts'
import type { Run } from '../run.ts'
import { UnsupportedSql } from '../sql-error.ts'
import type { Heap } from '../storage/heap.ts'
import type { RowVersion } from '../storage/row-version.ts'
import type { Access } from './access.ts'
import { canceled, type Reads, type SerialTransaction } from './serial-transaction.ts'

/** With more row versions, the table or an index may need more than one page. */
const onePage = 150
/** If more rows of a page than this are locked, the page is locked instead. */
const rowsOfPage = 2

/**
 * Records a scan of these versions, some of which the transaction may not see. @throws SqlError
 * 40001
 */
export function noteRead(
  run: Run,
  heap: Heap,
  access: Access,
  versions: readonly RowVersion[],
  key: string | null,
): void {
  const me = watchedReader(run)
  if (!me) return
  const reads = me.readsOf(heap)
  const order = run.backend.database.dependencies.nextLock()
  if (access.kind === 'key' && key !== null) {
    const before = reads.keys.get(access.index) ?? { order, looked: new Set() }
    reads.keys.set(access.index, { ...before, looked: before.looked.add(key) })
  } else if (access.kind === 'all') reads.all ||= order
  else if (access.kind === 'unclear') reads.maybeAll = true
  for (const version of versions) {
    const seen = run.snapshot.sees(version)
    readVersion(run, me, version, seen, access)
    if (seen && access.kind === 'key') keepRow(run, reads, version)
  }
}

/** Records the fetch of one row by its position, without an index key. @throws SqlError 40001 */
export function noteFetch(run: Run, heap: Heap, version: RowVersion): void {
  const me = watchedReader(run)
  if (!me) return
  const seen = run.snapshot.sees(version)
  readVersion(run, me, version, seen)
  if (seen) keepRow(run, me.readsOf(heap), version)
}

/**
 * The current transaction if it must be watched; otherwise null. A safe transaction is no longer
 * watched.
 */
function watchedReader({ backend: { state, database } }: Run): SerialTransaction | null {
  if (state.serial?.safe) {
    database.dependencies.abort(state.serial)
    state.serial = null
  }
  return state.serial
}

/**
 * Locks a row that was read. Rows that this transaction inserted need no lock, because no other
 * transaction can write them.
 */
function keepRow({ backend, snapshot }: Run, reads: Reads, version: RowVersion): void {
  if (snapshot.isOwn(version.xmin) || reads.rows.has(version)) return
  const order = backend.database.dependencies.nextLock()
  reads.rows.set(version, order)
  if (reads.rows.size > rowsOfPage) reads.page ||= order
}

function readVersion(run: Run, me: SerialTransaction, version: RowVersion, seen: boolean, access?: Access): void {
  if (me.doomed) throw canceled('identification as a pivot, during conflict out checking')
  const { ids, dependencies } = run.backend.database
  const xid = seen ? version.xmax : version.xmin
  if (xid === 0 || ids.statusOf(xid) === 'aborted' || run.snapshot.isOwn(xid) || run.snapshot.hadCommitted(xid)) return
  const writer = dependencies.byXid(xid)
  if (!writer || writer.doomed || me.writers.has(writer)) return
  // A read-only transaction may precede a committed writer, unless the writer precedes a
  // transaction that the reader sees.
  if (me.readOnly && writer.hasCommitted && me.after < writer.earliestWriter) return
  if (access?.kind === 'unclear') throw unsure()
  dependencies.add(me, writer, me)
}

/**
 * Records a write. Transactions that have read the row, or the index position at which the row is
 * inserted, precede this transaction.
 * @throws SqlError 40001
 */
export function noteWrite(
  run: Run,
  heap: Heap,
  what: { version?: RowVersion; entries?: readonly { index: Index; key: string | null }[] },
): void {
  const me = run.backend.state.serial
  if (!me) return
  if (me.doomed) throw canceled('identification as a pivot, during conflict in checking')
  me.didWrite = true
  const { dependencies } = run.backend.database
  const readers = dependencies
    .others(me)
    .filter((reader) => !reader.hasCommitted || run.snapshot.oldest < reader.finishedBefore)
    .flatMap((reader) => {
      const lock = lockOn(reader.reads.get(heap), heap, what)
      return lock ? [{ reader, lock }] : []
    })
  // PostgreSQL checks rows, then pages, then the table; locks on one object in the order of
  // acquisition.
  readers.sort(({ lock: a }, { lock: b }) => a.size - b.size || a.order - b.order)
  for (const { reader, lock } of readers) {
    if (reader.doomed || reader.writers.has(me)) continue
    if (lock.unsure) throw unsure()
    dependencies.add(reader, me, me)
  }
  // The write lock replaces the read lock, except inside a savepoint, which may be rolled back.
  if (what.version && run.backend.state.current!.levels.length === 1) me.readsOf(heap).rows.delete(what.version)
}

/**
 * A lock on data that was read. `size` is 0 for a row, 1 for a page of rows or of an index, 2 for
 * the table.
 */
interface ReadLock {
  readonly size: 0 | 1 | 2
  readonly order: number
  readonly unsure: boolean
}

/** The smallest of these read locks that conflicts with the write. */
function lockOn(
  reads: Reads | undefined,
  heap: Heap,
  { version, entries }: Parameters<typeof noteWrite>[2],
): ReadLock | null {
  if (!reads) return null
  const isSmall = heap.versions.length <= onePage
  const row = version && reads.rows.get(version)
  if (row) return { size: 0, order: row, unsure: false }
  if (version && reads.page) return { size: 1, order: reads.page, unsure: !isSmall && !reads.all }
  for (const { index, key } of entries ?? []) {
    const keys = reads.keys.get(index)
    if (keys)
      return { size: 1, order: keys.order, unsure: !isSmall && !(key !== null && keys.looked.has(key)) && !reads.all }
  }
  if (reads.all) return { size: 2, order: reads.all, unsure: false }
  return reads.maybeAll ? { size: 2, order: 0, unsure: true } : null
}

/**
 * The error if the locks of serializable transactions depend on PostgreSQL's plan, which is not
 * simulated.
 */
function unsure(): UnsupportedSql {
  return new UnsupportedSql('SERIALIZABLE, if the result depends on the planner’s choice,')
}
