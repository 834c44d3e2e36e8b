import type { TablesHost } from '../host.ts'
import type { Catalogue } from '../store/catalogue.ts'
import type { Table } from '../store/table.ts'
import type { Transactions } from '../store/transactions.ts'
import { partitionsOf, staleView, type View } from '../store/view.ts'

/** The state that operations use. */
export interface Context {
  readonly host: TablesHost
  readonly catalogue: Catalogue
  readonly transactions: Transactions
  /** State of the current read. */
  readonly reading: {
    /** True if the read sees all writes even if it does not request consistency. */
    readonly isConsistent: boolean
    /** Set if the read missed a write. */
    isBehind: boolean
  }
}

/** The state that a read sees: of one partition, or of the whole table if `partition` is null. */
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
