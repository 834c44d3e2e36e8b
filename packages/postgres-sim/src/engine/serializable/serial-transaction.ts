import type { Index } from '../catalog/relations.ts'
import { SqlError } from '../sql-error.ts'
import type { Heap } from '../storage/heap.ts'
import type { RowVersion } from '../storage/row-version.ts'

/** The data of a table that a serializable transaction has read: PostgreSQL's SIREAD locks. */
export interface Reads {
  /**
   * Number of the lock on the whole table; 0 if it is not locked. Locks are numbered in the order
   * of acquisition.
   */
  all: number
  /** True if the whole table may have been scanned because the plan is unknown. */
  maybeAll: boolean
  readonly rows: Map<RowVersion, number>
  /** Number of the page lock that has replaced many row locks; 0 if no page is locked. */
  page: number
  /** Searched keys by index. An insert into the same index page conflicts. */
  readonly keys: Map<Index, { readonly order: number; readonly looked: Set<string> }>
}

/** A serializable transaction. It is kept while a running transaction overlaps with it. */
export class SerialTransaction {
  /** True if the transaction must not write, or has committed without writing. */
  readOnly: boolean
  didWrite = false
  /** All transactions with a smaller id had ended when the snapshot was taken. */
  readonly oldest: number
  /** The latest commit sequence number when the snapshot was taken. */
  readonly after: number
  readonly topXid: () => number
  readonly reads = new Map<Heap, Reads>()
  /**
   * `readers` have read data that this transaction has overwritten; `writers` have overwritten data
   * that it has read.
   */
  readonly readers = new Set<SerialTransaction>()
  readonly writers = new Set<SerialTransaction>()
  doomed = false
  /** Sequence numbers of the start and the end of the commit; Infinity until then. */
  prepared = Infinity
  committed = Infinity
  /** Transactions with this id or a greater id began after this transaction had ended. */
  finishedBefore = Infinity
  /**
   * The lowest commit number of the `writers` that committed before this transaction; Infinity if
   * there is none.
   */
  earliestWriter = Infinity
  /**
   * `unsafeBy` is for read-only transactions: the concurrent writers that can still make the
   * snapshot inconsistent. `unsafeFor` is for writers: the read-only transactions that they can
   * affect.
   */
  readonly unsafeBy = new Set<SerialTransaction>()
  readonly unsafeFor = new Set<SerialTransaction>()
  /**
   * True if the transaction only reads and its snapshot remains consistent, so that it need not be
   * watched.
   */
  safe = false

  constructor(readOnly: boolean, oldest: number, after: number, topXid: () => number) {
    this.readOnly = readOnly
    this.oldest = oldest
    this.after = after
    this.topXid = topXid
  }

  get hasCommitted(): boolean {
    return this.committed < Infinity
  }

  readsOf(heap: Heap): Reads {
    let reads = this.reads.get(heap)
    if (!reads) this.reads.set(heap, (reads = { all: 0, maybeAll: false, rows: new Map(), page: 0, keys: new Map() }))
    return reads
  }
}

export function canceled(reason: string): SqlError {
  return new SqlError('40001', 'could not serialize access due to read/write dependencies among transactions', {
    detail: `Reason code: Canceled on ${reason}.`,
    hint: 'The transaction might succeed if retried.',
  })
}
