import type { LockStmt } from 'libpg-query'
import type { Backend } from '../backend.ts'
import type { Mode } from '../locks/modes.ts'
import type { Running } from '../run.ts'
import { SqlError, UnsupportedSql } from '../sql-error.ts'
import { findLocked, relationName } from './names.ts'

export function* lockTables(backend: Backend, node: LockStmt): Running<void> {
  if (!backend.state.inBlock) throw new SqlError('25P01', 'LOCK TABLE can only be used in transaction blocks')
  for (const one of node.relations ?? []) {
    if (!('RangeVar' in one)) throw new UnsupportedSql('LOCK of that')
    const name = relationName(one.RangeVar)
    const found = yield* findLocked(backend, name, node.mode as Mode, node.nowait ?? false)
    if (!found) throw new SqlError('42P01', `relation "${name}" does not exist`)
  }
}
