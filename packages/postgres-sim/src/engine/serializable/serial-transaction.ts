import type { Index } from '../catalog/relations.ts'
import { SqlError } from '../sql-error.ts'
import type { Heap } from '../storage/heap.ts'
import type { RowVersion } from '../storage/row-version.ts'

/** What a serializable transaction has read of a table: PostgreSQL's SIREAD locks. */
export interface Reads {
  /**
   * The whole table was scanned; each of these has its number in the order in which locks were
   * taken, 0 for none.
   */
  all: number
  /** A query whose plan is not sure: it may have scanned all of it. */
  maybeAll: boolean
  readonly rows: Map<RowVersion, number>
  /** So many rows at a time that their page was locked in their place. */
  page: number
  /** Keys that were looked for, by their index: what is put into the same page of it conflicts. */
  readonly keys: Map<Index, { readonly order: number; readonly looked: Set<string> }>
}

/** A serializable transaction, as long as one runs that overlaps with it. */
export class SerialTransaction {
  /** It may not write, or has committed without it. */
  readOnly: boolean
  didWrite = false
  /** The id below which all had ended when its snapshot was taken. */
  readonly oldest: number
  /** How many had committed by then. */
  readonly after: number
  readonly topXid: () => number
  readonly reads = new Map<Heap, Reads>()
  /**
   * Those that have read what it wrote, without seeing that; and those that have written what it
   * read.
   */
  readonly readers = new Set<SerialTransaction>()
  readonly writers = new Set<SerialTransaction>()
  doomed = false
  /** When it began to commit and when it had; Infinity before. */
  prepared = Infinity
  committed = Infinity
  /** The id from which on transactions began after it. */
  finishedBefore = Infinity
  /**
   * When the first that wrote what it read, and committed before it, began to commit; Infinity
   * where there is none.
   */
  earliestWriter = Infinity
  /**
   * Of one that only reads: those that can still make its snapshot one that no order of
   * transactions explains. Of one that writes: whom it can do that to.
   */
  readonly unsafeBy = new Set<SerialTransaction>()
  readonly unsafeFor = new Set<SerialTransaction>()
  /** It only reads, and what it sees is consistent whatever others do: it need not be watched. */
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
