import type { Node } from 'libpg-query'
import { UnsupportedSql } from '../sql-error.ts'

/** Of WITH: they change how rows are stored, and nothing that a client sees. */
const known = /^(fillfactor|toast_tuple_target|parallel_workers|deduplicate_items|fastupdate|autovacuum_\w+)$/

/**
 * Whether there is such an option or such a place, the simulated server does not know. @throws
 * UnsupportedSql
 */
export function refuseStorage(options: readonly Node[] = [], tablespace = ''): void {
  for (const one of options)
    if ('DefElem' in one && !known.test(one.DefElem.defname!))
      throw new UnsupportedSql(`the storage parameter ${one.DefElem.defname}`)
  if (tablespace !== '' && tablespace !== 'pg_default') throw new UnsupportedSql(`the tablespace ${tablespace}`)
}
