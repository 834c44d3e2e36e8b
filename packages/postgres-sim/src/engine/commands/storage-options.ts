import type { Node } from 'libpg-query'
import { UnsupportedSql } from '../sql-error.ts'

/** Storage parameters of WITH that are ignored: they change how rows are stored, but no result. */
const known = /^(fillfactor|toast_tuple_target|parallel_workers|deduplicate_items|fastupdate|autovacuum_\w+)$/

/**
 * Refuses unknown storage parameters and tablespaces, because the simulated server does not know
 * whether they exist.
 * @throws UnsupportedSql
 */
export function refuseStorage(options: readonly Node[] = [], tablespace = ''): void {
  for (const one of options)
    if ('DefElem' in one && !known.test(one.DefElem.defname!))
      throw new UnsupportedSql(`the storage parameter ${one.DefElem.defname}`)
  if (tablespace !== '' && tablespace !== 'pg_default') throw new UnsupportedSql(`the tablespace ${tablespace}`)
}
