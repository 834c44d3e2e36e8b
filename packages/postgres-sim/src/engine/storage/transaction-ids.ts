/** The status of a transaction id, as in pg_xact and pg_subtrans. */
export type TransactionStatus = 'active' | 'committed' | 'aborted'

interface Entry {
  status: TransactionStatus
  /** Id of the parent transaction of a savepoint; 0 for a top-level transaction. */
  parent: number
}

/** The first id; approximately that of a new PostgreSQL cluster. */
const first = 730

export class TransactionIds {
  private readonly entries: Entry[] = []
  /** Ids of the active top-level transactions. */
  private readonly active: number[] = []

  get next(): number {
    return first + this.entries.length
  }

  assign(parent: number): number {
    const xid = this.next
    this.entries.push({ status: 'active', parent })
    if (parent === 0) this.active.push(xid)
    return xid
  }

  /** The id of the top-level transaction. */
  top(xid: number): number {
    let at = xid
    for (let parent = this.entry(at).parent; parent !== 0; parent = this.entry(at).parent) at = parent
    return at
  }

  parentOf(xid: number): number {
    return this.entry(xid).parent
  }

  /**
   * The status of a transaction or savepoint. A released savepoint has the status of its parent.
   */
  statusOf(xid: number): TransactionStatus {
    let entry = this.entry(xid)
    while (entry.status === 'active' && entry.parent !== 0) entry = this.entry(entry.parent)
    return entry.status
  }

  commit(top: number): void {
    this.entry(top).status = 'committed'
    this.ended(top)
  }

  abort(xid: number): void {
    this.entry(xid).status = 'aborted'
    this.ended(xid)
  }

  private ended(xid: number): void {
    const at = this.active.indexOf(xid)
    if (at >= 0) this.active.splice(at, 1)
  }

  private entry(xid: number): Entry {
    return this.entries[xid - first]!
  }

  activeTops(): readonly number[] {
    return this.active
  }

  /** Called after a crash: rolls back all active transactions. */
  abortActive(): void {
    for (const top of [...this.active]) this.abort(top)
  }
}
