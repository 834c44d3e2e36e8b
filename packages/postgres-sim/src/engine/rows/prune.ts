import type { Table } from '../catalog/relations.ts'
import type { Database } from '../database.ts'

/** Tables with fewer row versions are not pruned. */
const few = 64

/**
 * Removes versions that no session can see any more. It is only called while no transaction is open
 * and every commit is on disk. Then only the last committed version of each row can become visible,
 * even after a crash.
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
