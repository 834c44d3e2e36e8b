import type { TablesHost } from '../host.ts'
import type { Catalogue } from '../store/catalogue.ts'
import type { Table } from '../store/table.ts'
import type { Transactions } from '../store/transactions.ts'
import { partitionsOf, staleView, type View } from '../store/view.ts'

/** What an operation works on. */
export interface Context {
  readonly host: TablesHost
  readonly catalogue: Catalogue
  readonly transactions: Transactions
  /** The read that is done now. */
  readonly reading: {
    /** It sees every write, whatever it asks for. */
    readonly isConsistent: boolean
    /** It did not see some. */
    isBehind: boolean
  }
}

/** What a read of these keys (null: of the whole table) sees. */
export function viewOf(
  { host, reading }: Context,
  table: Table,
  consistent: boolean | undefined,
  partition: string | null,
): View {
  if (consistent || reading.isConsistent) return table
  const nowMs = host.nowMs()
  const partitions = partition === null ? partitionsOf(table, nowMs) : [partition]
  const what = `latest writes to ${table.definition.name} that a read misses`
  const view = staleView(table, partitions, nowMs, (n) => host.chance(what, n))
  reading.isBehind ||= view !== table
  return view
}
