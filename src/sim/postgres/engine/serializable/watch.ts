import type { Index } from '../catalog/relations.ts'
import type { Run } from '../run.ts'
import { UnsupportedSql } from '../sql-error.ts'
import type { Heap } from '../storage/heap.ts'
import type { RowVersion } from '../storage/row-version.ts'
import type { Access } from './access.ts'
import { canceled, type Reads, type SerialTransaction } from './serial-transaction.ts'

/** More versions than this may take more than one page of an index, and of the table. */
const onePage = 150
/** More rows than this of one page are locked as the page. */
const rowsOfPage = 2

/** A scan has looked at these versions, and the transaction sees some of them. @throws SqlError 40001 */
export function noteRead(
  run: Run,
  heap: Heap,
  access: Access,
  versions: readonly RowVersion[],
  key: string | null,
): void {
  const me = run.backend.state.serial
  if (!me) return
  const reads = me.readsOf(heap)
  if (access.kind === 'key' && key !== null) {
    const keys = reads.keys.get(access.index) ?? new Set()
    reads.keys.set(access.index, keys.add(key))
  } else if (access.kind === 'all') reads.all = true
  else if (access.kind === 'unclear') reads.maybeAll = true
  for (const version of versions) {
    const seen = run.snapshot.sees(version)
    readVersion(run, me, version, seen, access)
    if (seen && access.kind === 'key') keepRow(run, reads, version)
  }
}

/** Nobody else can write what is one's own. */
function keepRow(run: Run, reads: Reads, version: RowVersion): void {
  if (run.snapshot.isOwn(version.xmin)) return
  reads.rows.add(version)
  if (reads.rows.size > rowsOfPage) reads.page = true
}

/** One row was fetched by its place, and by no key of an index. @throws SqlError 40001 */
export function noteFetch(run: Run, heap: Heap, version: RowVersion): void {
  const me = run.backend.state.serial
  if (!me) return
  const seen = run.snapshot.sees(version)
  readVersion(run, me, version, seen)
  if (seen) keepRow(run, me.readsOf(heap), version)
}

function readVersion(run: Run, me: SerialTransaction, version: RowVersion, seen: boolean, access?: Access): void {
  if (me.doomed) throw canceled('identification as a pivot, during conflict out checking')
  const { ids, dependencies } = run.backend.database
  const xid = seen ? version.xmax : version.xmin
  if (xid === 0 || ids.fateOf(xid) === 'aborted' || run.snapshot.isOwn(xid) || run.snapshot.hadCommitted(xid)) return
  const writer = dependencies.byXid(xid)
  if (!writer || writer.doomed || me.writers.has(writer)) return
  if (access?.kind === 'unclear') throw unsure()
  dependencies.add(me, writer, me)
}

/** A row is written: those that have read it, or where it is put, come before. @throws SqlError 40001 */
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
  for (const reader of dependencies.others(me)) {
    const reads = reader.reads.get(heap)
    if (!reads || reader.doomed) continue
    if (reader.hasCommitted && run.snapshot.oldest >= reader.finishedBefore) continue
    if (reader.writers.has(me)) continue
    const how = hasRead(reads, heap, what)
    if (how === 'unsure') throw unsure()
    if (how === 'yes') dependencies.add(reader, me, me)
  }
  // A write is more than a read. A savepoint's may be taken back.
  if (what.version && run.backend.state.current!.levels.length === 1) me.readsOf(heap).rows.delete(what.version)
}

function hasRead(
  reads: Reads,
  heap: Heap,
  { version, entries }: Parameters<typeof noteWrite>[2],
): 'yes' | 'no' | 'unsure' {
  if (reads.all) return 'yes'
  const small = heap.versions.length <= onePage
  if (version) {
    if (reads.rows.has(version)) return 'yes'
    if (reads.page) return small ? 'yes' : 'unsure'
  }
  for (const { index, key } of entries ?? []) {
    const keys = reads.keys.get(index)
    if (!keys) continue
    if (small || (key !== null && keys.has(key))) return 'yes'
    return 'unsure'
  }
  return reads.maybeAll ? 'unsure' : 'no'
}

/** What PostgreSQL locks for serializable transactions hangs on its plan, which is not simulated. */
function unsure(): UnsupportedSql {
  return new UnsupportedSql('SERIALIZABLE, where the answer hangs on the planner’s choice,')
}
