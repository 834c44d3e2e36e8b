import type { Table } from '../catalog/relations.ts'
import type { Database } from '../database.ts'

/** Versions that a table may have before it is looked through. */
const few = 64

/**
 * Takes away what nobody can see any more. It is done while no transaction is open and every commit
 * is on the disk: then the last committed version of each row is all that anybody can come to see,
 * also after a crash.
 */
export function prune({ ids }: Database, table: Table): void {
  for (const { heap } of table.storages) {
    if (heap.versions.length < heap.pruneAt) continue
    const gone = new Set(
      heap.versions.filter(
        ({ xmin, xmax }) => ids.statusOf(xmin) === 'aborted' || (xmax !== 0 && ids.statusOf(xmax) === 'committed'),
      ),
    )
    heap.remove(gone)
    for (const index of table.indexes) index.remove(heap, gone)
    heap.pruneAt = 2 * heap.versions.length + few
  }
}
