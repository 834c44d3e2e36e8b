import { type Index, keyText, type Table } from '../catalog/relations.ts'
import type { Run, Running } from '../run.ts'
import { noteWrite } from '../serializable/watch.ts'
import { SqlError } from '../sql-error.ts'
import type { Heap } from '../storage/heap.ts'
import type { RowVersion } from '../storage/row-version.ts'
import type { TransactionIds } from '../storage/transaction-ids.ts'
import type { Type } from '../values/types.ts'
import type { Value } from '../values/value.ts'

/** An index whose expressions and predicate are compiled. */
export interface UsableIndex {
  readonly index: Index
  readonly types: readonly Type[]
  /** Columns that it is made of, or that decide which rows it has. */
  readonly columns: ReadonlySet<number>
  /** The names or expressions of its parts, as the detail of an error has them. */
  readonly titles: readonly string[]
  values(row: readonly Value[], run: Run): readonly Value[]
  /** False: the predicate leaves the row out. */
  covers(row: readonly Value[], run: Run): boolean
}

/** The text of a row's key; null where the index does not have to keep it unique. */
export function keyOf(usable: UsableIndex, row: readonly Value[], run: Run): string | null {
  if (!usable.covers(row, run)) return null
  return keyText(usable.values(row, run), usable.types, usable.index.nullsEqual)
}

/** What there is of a key: a row that lives, or one whose status another transaction decides. */
export type KeyState =
  | { readonly kind: 'free' }
  | { readonly kind: 'taken'; readonly by: RowVersion }
  | { readonly kind: 'undecided'; readonly xid: number; readonly by: RowVersion }

/** Looks at the key as it is now, whatever the snapshot sees. */
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

/** `own`: the session's transaction; 0 while it has none. */
function isOther(ids: TransactionIds, own: number, xid: number): boolean {
  return own === 0 || ids.top(xid) !== own
}

/** Waits for the transaction; or, while its row may still be taken back, for that alone. */
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
 * Puts a version into a unique index: it waits for transactions that have the same key and have not
 * ended.
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
