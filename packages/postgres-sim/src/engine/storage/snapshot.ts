import type { RowVersion } from './row-version.ts'
import type { TransactionIds } from './transaction-ids.ts'

/**
 * The set of transactions that had ended when the snapshot was taken:
 * https://www.postgresql.org/docs/15/mvcc-intro.html
 */
export class Snapshot {
  private readonly ids: TransactionIds
  /** Transactions with this id or a greater id had not begun. */
  readonly limit: number
  private readonly active: readonly number[]
  /** The owning transaction. `topXid` is 0 while it has no id. */
  private readonly own: { readonly topXid: number }
  /** Changes by this command and later commands of the owning transaction are not visible. */
  readonly command: number

  constructor(ids: TransactionIds, own: { readonly topXid: number }, command: number, from?: Snapshot) {
    this.ids = ids
    this.own = own
    this.command = command
    this.limit = from?.limit ?? ids.next
    this.active = from?.active ?? [...ids.activeTops()]
  }

  /** The same snapshot for a later command of the transaction. */
  at(command: number): Snapshot {
    return new Snapshot(this.ids, this.own, command, this)
  }

  /** All transactions with a smaller id had ended when the snapshot was taken. */
  get oldest(): number {
    return Math.min(this.limit, ...this.active)
  }

  isOwn(xid: number): boolean {
    const own = this.own.topXid
    return own !== 0 && this.ids.top(xid) === own
  }

  /**
   * True if this transaction, which is not the owner, had committed when the snapshot was taken.
   */
  hadCommitted(xid: number): boolean {
    if (xid >= this.limit || this.active.includes(this.ids.top(xid))) return false
    return this.ids.statusOf(xid) === 'committed'
  }

  sees(row: RowVersion): boolean {
    if (this.isOwn(row.xmin)) {
      if (this.ids.statusOf(row.xmin) === 'aborted' || row.cmin >= this.command) return false
    } else if (!this.hadCommitted(row.xmin)) return false
    if (row.xmax === 0) return true
    if (this.isOwn(row.xmax)) return this.ids.statusOf(row.xmax) === 'aborted' || row.cmax >= this.command
    return !this.hadCommitted(row.xmax)
  }
}
