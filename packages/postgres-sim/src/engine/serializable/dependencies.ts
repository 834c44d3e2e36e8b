import type { TransactionIds } from '../storage/transaction-ids.ts'
import { canceled, SerialTransaction } from './serial-transaction.ts'

/**
 * Read/write dependencies between serializable transactions. A transaction that reads data without
 * seeing a concurrent write of it precedes the writer. A transaction that precedes a second one and
 * is preceded by a third one may be part of a cycle. If the last of these three transactions
 * commits first, one of the three is aborted.
 * https://www.postgresql.org/docs/15/transaction-iso.html#XACT-SERIALIZABLE and "Serializable
 * Snapshot Isolation in PostgreSQL" (VLDB 2012).
 */
export class Dependencies {
  private readonly ids: TransactionIds
  private known: SerialTransaction[] = []
  private commits = 1
  private locks = 0

  constructor(ids: TransactionIds) {
    this.ids = ids
  }

  clear(): void {
    this.known = []
  }

  /** Numbers the locks in the order of acquisition. */
  nextLock(): number {
    return ++this.locks
  }

  /**
   * Registers a transaction. Returns null for a read-only transaction without concurrent writers,
   * which need not be watched.
   */
  begin(readOnly: boolean, oldest: number, topXid: () => number): SerialTransaction | null {
    const writing = this.known.filter((one) => !one.hasCommitted && !one.doomed && !one.readOnly)
    if (readOnly && writing.length === 0) return null
    const made = new SerialTransaction(readOnly, oldest, this.commits, topXid)
    if (readOnly) for (const one of writing) threaten(one, made)
    this.known.push(made)
    return made
  }

  others(me: SerialTransaction): readonly SerialTransaction[] {
    return this.known.filter((one) => one !== me)
  }

  byXid(xid: number): SerialTransaction | null {
    const top = this.ids.top(xid)
    return this.known.find((one) => one.topXid() === top) ?? null
  }

  /**
   * Records that the reader did not see a write of the writer.
   * @throws SqlError 40001 if the running transaction `me` must be aborted
   */
  add(reader: SerialTransaction, writer: SerialTransaction, me: SerialTransaction): void {
    if (reader.writers.has(writer)) return
    if (this.isDangerous(reader, writer)) {
      if (me === writer) throw canceled('identification as a pivot, during write')
      if (writer.prepared < Infinity) throw canceled(`conflict out to pivot ${writer.topXid()}, during read`)
      writer.doomed = true
    }
    reader.writers.add(writer)
    writer.readers.add(reader)
  }

  private isDangerous(reader: SerialTransaction, writer: SerialTransaction): boolean {
    // In this case the writer is the pivot: it precedes a transaction that committed first.
    if (writer.hasCommitted && writer.earliestWriter < Infinity) return true
    for (const last of writer.writers) {
      if (last.prepared === Infinity) continue
      if (last.prepared > reader.committed || last.prepared > writer.committed) continue
      if (!reader.readOnly || last.prepared <= reader.after) return true
    }
    // In this case the reader is the pivot: a transaction precedes it, and the writer committed
    // first.
    if (writer.prepared === Infinity || reader.readOnly) return false
    for (const first of reader.readers) {
      if (first.doomed || first.committed < writer.prepared) continue
      if (!first.readOnly || first.after >= writer.prepared) return true
    }
    return false
  }

  /** @throws SqlError 40001 */
  prepare(me: SerialTransaction): void {
    if (me.doomed) throw canceled('identification as a pivot, during commit attempt')
    for (const pivot of me.readers) {
      if (pivot.hasCommitted || pivot.doomed) continue
      const isDangerous = [...pivot.readers].some(
        (first) => first === me || (!first.hasCommitted && !first.readOnly && !first.doomed),
      )
      if (isDangerous) pivot.doomed = true
    }
    me.prepared = ++this.commits
  }

  commit(me: SerialTransaction): void {
    me.committed = ++this.commits
    if (!me.didWrite) me.readOnly = true
    me.finishedBefore = this.ids.next
    for (const writer of me.writers) {
      if (writer.hasCommitted && !me.readOnly) me.earliestWriter = Math.min(me.earliestWriter, writer.prepared)
      if (writer.hasCommitted || writer.after >= this.commits) this.remove(me, writer)
    }
    for (const reader of me.readers) if (reader.hasCommitted || reader.readOnly) this.remove(reader, me)
    settle(me)
    this.forget()
  }

  abort(me: SerialTransaction): void {
    for (const writer of me.writers) this.remove(me, writer)
    for (const reader of me.readers) this.remove(reader, me)
    settle(me)
    this.known = this.known.filter((one) => one !== me)
    this.forget()
  }

  private remove(reader: SerialTransaction, writer: SerialTransaction): void {
    reader.writers.delete(writer)
    writer.readers.delete(reader)
  }

  /** Forgets committed transactions that do not overlap with a running transaction. */
  private forget(): void {
    const running = this.known.filter((one) => !one.hasCommitted)
    const oldest = Math.min(...running.map((one) => one.oldest))
    this.known = this.known.filter((one) => !one.hasCommitted || one.finishedBefore > oldest)
  }
}

function threaten(writer: SerialTransaction, reader: SerialTransaction): void {
  reader.unsafeBy.add(writer)
  writer.unsafeFor.add(reader)
}

function spare(writer: SerialTransaction, reader: SerialTransaction): void {
  reader.unsafeBy.delete(writer)
  writer.unsafeFor.delete(reader)
}

/**
 * Updates the read-only transactions when the transaction `me` ends. A read-only transaction is
 * safe when all concurrent writers have ended and none of them preceded a transaction that it sees.
 */
function settle(me: SerialTransaction): void {
  for (const writer of me.unsafeBy) spare(writer, me)
  for (const reader of me.unsafeFor) {
    const isUnsafe = me.hasCommitted && me.didWrite && me.earliestWriter <= reader.after
    for (const writer of isUnsafe ? reader.unsafeBy : [me]) spare(writer, reader)
    reader.safe = !isUnsafe && reader.unsafeBy.size === 0
  }
}
