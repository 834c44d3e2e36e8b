import type { TruncateStmt } from 'libpg-query'
import type { Backend } from '../backend.ts'
import type { Running } from '../run.ts'
import { SqlError, UnsupportedSql } from '../sql-error.ts'
import { Heap } from '../storage/heap.ts'
import { findLocked, relationName } from './names.ts'

export function* truncate(backend: Backend, node: TruncateStmt): Running<void> {
  for (const one of node.relations ?? []) {
    if (!('RangeVar' in one)) throw new UnsupportedSql('this form of TRUNCATE')
    const name = relationName(one.RangeVar)
    const table = yield* findLocked(backend, name, 8)
    if (!table) throw new SqlError('42P01', `relation "${name}" does not exist`)
    if (table.kind !== 'table') throw new SqlError('42809', `"${table.name}" is not a table`)
    if (table.partitionKey || table.referencedBy.some((one) => backend.database.catalog.sees(backend, one.table)))
      throw new UnsupportedSql('TRUNCATE of a table that is partitioned or referred to')
    if (backend.database.host.watches?.(name)) throw new UnsupportedSql(`TRUNCATE of ${name}`)
    if (node.restart_seqs) {
      for (const { sequence } of table.columns)
        if (sequence) backend.state.ensure().innermost.undo.push(sequence.restart())
    }
    const xid = backend.currentXid()
    table.storages.push({ xmin: xid, heap: new Heap() })
    backend.database.catalog.changed(xid)
  }
}
