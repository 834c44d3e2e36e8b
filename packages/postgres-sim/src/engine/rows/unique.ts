import { type Index, keyText, type Table } from '../catalog/relations.ts'
import type { Run, Running } from '../run.ts'
import { noteWrite } from '../serializable/watch.ts'
import { SqlError } from '../sql-error.ts'
import type { Heap } from '../storage/heap.ts'
import type { RowVersion } from '../storage/row-version.ts'
import type { TransactionIds } from '../storage/transaction-ids.ts'
import type { Type } from '../values/types.ts'
import type { Value } from '../values/value.ts'

/** An index with its compiled expressions and predicate. */
export interface UsableIndex {
  readonly index: Index
  readonly types: readonly Type[]
  /** The columns that the parts or the predicate of the index use. */
  readonly columns: ReadonlySet<number>
  /** The names or expressions of the parts of the index, for the detail of errors. */
  readonly titles: readonly string[]
  values(row: readonly Value[], run: Run): readonly Value[]
  /** False if the predicate excludes the row. */
  covers(row: readonly Value[], run: Run): boolean
}

/** The text of a row's key; null if the index does not check the row. */
export function keyOf(usable: UsableIndex, row: readonly Value[], run: Run): string | null {
  if (!usable.covers(row, run)) return null
  return keyText(usable.values(row, run), usable.types, usable.index.nullsEqual)
}

/** The state of a key: free, taken by a live row, or dependent on an active transaction. */
export type KeyState =
  | { readonly kind: 'free' }
  | { readonly kind: 'taken'; readonly by: RowVersion }
  | { readonly kind: 'undecided'; readonly xid: number; readonly by: RowVersion }

/** Checks the current state of the key, regardless of the snapshot. */
export function stateOfKey(
  run: Run,
  usable: UsableIndex,
  heap: Heap,
  key: string,
  except: RowVersion | null,
): KeyState {
  const { ids } = run.backend.database
  const own = run.backend.topXid
  for (const version of usable.index.find(heap, key)) {
    if (version === except) continue
    const made = ids.statusOf(version.xmin)
    if (made === 'aborted') continue
    if (made === 'active' && isOther(ids, own, version.xmin))
      return { kind: 'undecided', xid: version.xmin, by: version }
    if (version.xmax !== 0) {
      const replaced = ids.statusOf(version.xmax)
      if (replaced === 'committed') continue
      if (replaced === 'active') {
        if (!isOther(ids, own, version.xmax)) continue
        return { kind: 'undecided', xid: version.xmax, by: version }
      }
    }
    return { kind: 'taken', by: version }
  }
  return { kind: 'free' }
}

/**
 * True if the id belongs to another transaction. `own` is the session's transaction id; 0 if it has
 * none.
 */
function isOther(ids: TransactionIds, own: number, xid: number): boolean {
  return own === 0 || ids.top(xid) !== own
}

/**
 * Waits until the transaction has ended. If its row is a speculative insertion, only waits until
 * the insertion is confirmed or removed.
 */
export function* untilDecided(
  run: Run,
  { xid, by }: Extract<KeyState, { kind: 'undecided' }>,
  where: string,
): Running<void> {
  const tag = xid === by.xmin ? by.speculative : null
  if (!tag) return yield* run.backend.waitForTransaction(xid, where)
  yield* run.backend.lock(tag, 5, 'transient')
  run.backend.unlock(tag, 5)
}

/**
 * Adds a version to a unique index. Waits for active transactions with the same key.
 * @throws SqlError 23505
 */
export function* enterUnique(
  run: Run,
  table: Table,
  usable: UsableIndex,
  heap: Heap,
  version: RowVersion,
): Running<void> {
  const key = keyOf(usable, version.values, run)
  if (key === null) return
  for (;;) {
    const state = stateOfKey(run, usable, heap, key, version)
    if (state.kind === 'free') break
    if (state.kind === 'taken') {
      noteWrite(run, heap, { entries: [{ index: usable.index, key }] })
      throw duplicate(run, table, usable, version)
    }
    yield* untilDecided(run, state, `while inserting index tuple (0,${version.tid}) in relation "${usable.index.name}"`)
  }
  noteWrite(run, heap, { entries: [{ index: usable.index, key }] })
  usable.index.add(heap, key, version)
}

function duplicate(run: Run, table: Table, usable: UsableIndex, version: RowVersion): SqlError {
  const { index } = usable
  const values = usable
    .values(version.values, run)
    .map((value, i) => (value === null ? 'null' : usable.types[i]!.write(value)))
  return new SqlError('23505', `duplicate key value violates unique constraint "${index.name}"`, {
    detail: `Key (${usable.titles.join(', ')})=(${values.join(', ')}) already exists.`,
    schema: table.schema,
    table: table.name,
    constraint: index.name,
  })
}
