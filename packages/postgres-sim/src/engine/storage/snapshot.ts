import type { RowVersion } from './row-version.ts'
import type { TransactionIds } from './transaction-ids.ts'

/**
 * Which transactions had ended when it was taken:
 * https://www.postgresql.org/docs/15/mvcc-intro.html
 */
export class Snapshot {
  private readonly ids: TransactionIds
  /** Ids from here on had not begun. */
  readonly limit: number
  private readonly active: readonly number[]
  /** The transaction that looks; its top id is 0 while it has none. */
  private readonly own: { readonly topXid: number }
  /** What the transaction's own commands from this one on did is not seen. */
  readonly command: number

  constructor(ids: TransactionIds, own: { readonly topXid: number }, command: number, from?: Snapshot) {
    this.ids = ids
    this.own = own
    this.command = command
    this.limit = from?.limit ?? ids.next
    this.active = from?.active ?? [...ids.activeTops()]
  }

  /** The same moment, for a later command of the transaction. */
  at(command: number): Snapshot {
    return new Snapshot(this.ids, this.own, command, this)
  }

  /** The id below which all had ended. */
  get oldest(): number {
    return Math.min(this.limit, ...this.active)
  }

  isOwn(xid: number): boolean {
    const own = this.own.topXid
    return own !== 0 && this.ids.top(xid) === own
  }

  /** Whether a transaction that is not the own one had committed. */
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
