import { Database, type KeyspaceState } from './database.ts'
import { describeDatabase, type KeyDescription } from './describe.ts'
import { touchAllWatched } from './watch.ts'

/** The numbered databases of one server, created on first use. */
export class Keyspace {
  readonly state: KeyspaceState
  private readonly databases: (Database | undefined)[] = []

  /** Calls `onExpired` for each key that expires. */
  constructor(
    readonly size: number,
    onExpired?: KeyspaceState['onExpired'],
  ) {
    this.state = {
      // Every field is written out, because each run creates servers, and building the object from
      // parts is much slower.
      nowMs: 0,
      changes: 0,
      hits: 0,
      misses: 0,
      expired: 0,
      notify: null,
      invalidated: null,
      ready: [],
      onExpired,
      expiry: 'delete',
    }
  }

  /** Undefined if there is no database with this number. */
  select(index: number): Database | undefined {
    if (!(index >= 0 && index < this.size)) return undefined
    return (this.databases[index] ??= new Database(index, this.state))
  }

  /** Databases with keys, in the order of their numbers. */
  used(): Database[] {
    return this.databases.filter((database) => database !== undefined && database.entries.size > 0) as Database[]
  }

  flush(database: Database): void {
    touchAllWatched(database, null)
    this.state.changes += database.entries.size
    database.clear()
    database.waiters.signalAll()
  }

  swap(a: Database, b: Database): void {
    if (a === b) return
    touchAllWatched(a, b)
    touchAllWatched(b, a)
    a.swapContents(b)
    a.waiters.signalAll()
    b.waiters.signalAll()
    this.state.changes++
  }

  /** Number of keys in all databases that are live at this time. */
  countKeys(nowMs: number): { keys: number; withoutExpiry: number } {
    let keys = 0
    let withoutExpiry = 0
    for (const database of this.used()) {
      for (const { expireAtMs } of database.entries.values()) {
        if (expireAtMs === -1) withoutExpiry++
        else if (nowMs > expireAtMs) continue
        keys++
      }
    }
    return { keys, withoutExpiry }
  }

  /** All live keys in canonical order, for digests and for output. */
  describe(nowMs: number): KeyDescription[] {
    return this.used().flatMap((database) => describeDatabase(database, nowMs))
  }
}
