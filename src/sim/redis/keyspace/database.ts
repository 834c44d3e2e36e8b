import type { Entry } from './entry.ts'
import type { WatchedKey } from './watch.ts'

/** What all databases of a server share: the time that the running command sees, and counters. */
export interface KeyspaceState {
  /** Frozen while a command, a transaction or a script runs. */
  nowMs: number
  /** Changes to the data set since the server began. */
  changes: number
  hits: number
  misses: number
  expired: number
  /** Told of every key that goes because its time was up. */
  onExpired?: ((key: string) => void) | undefined
}

/**
 * One numbered database. Expired keys go when they are touched, and are invisible to everything but what Redis lets
 * see them; there is no background expiry (a timer would keep the world alive for ever), so that what counts keys
 * calls `dropExpired` first and answers as if the background cycle had just run.
 */
export class Database {
  entries = new Map<string, Entry>()
  readonly watchers = new Map<string, WatchedKey[]>()
  private nextSequence = 1

  constructor(
    readonly index: number,
    readonly state: KeyspaceState,
  ) {}

  /** For a command that writes, and for reads that do not count as such. */
  get(key: string): Entry | undefined {
    const entry = this.entries.get(key)
    if (entry === undefined) return undefined
    if (entry.expireAtMs !== -1 && this.state.nowMs > entry.expireAtMs) {
      this.expire(key)
      return undefined
    }
    entry.accessedMs = this.state.nowMs
    return entry
  }

  /** For a command that reads: counts a hit or a miss. */
  read(key: string): Entry | undefined {
    const entry = this.get(key)
    if (entry === undefined) this.state.misses++
    else this.state.hits++
    return entry
  }

  /** Leaves the access time alone (TTL, TYPE, OBJECT). */
  peek(key: string): Entry | undefined {
    const entry = this.entries.get(key)
    if (entry === undefined) return undefined
    if (entry.expireAtMs !== -1 && this.state.nowMs > entry.expireAtMs) {
      this.expire(key)
      return undefined
    }
    return entry
  }

  isExpired(key: string): boolean {
    const entry = this.entries.get(key)
    return entry !== undefined && entry.expireAtMs !== -1 && this.state.nowMs > entry.expireAtMs
  }

  /** Puts an entry under a key, over whatever was there. Its deadline is the entry's own. */
  put(key: string, entry: Entry): void {
    const previous = this.entries.get(key)
    entry.sequence = previous === undefined ? this.nextSequence++ : previous.sequence
    entry.accessedMs = this.state.nowMs
    this.entries.set(key, entry)
  }

  remove(key: string): boolean {
    return this.entries.delete(key)
  }

  /** A command changed the key: whoever watches it must know. */
  touched(key: string): void {
    this.state.changes++
    this.noticeWatchers(key)
  }

  /** Deletes what has expired, as the background cycle of a real server does within a tenth of a second. */
  dropExpired(): void {
    const now = this.state.nowMs
    for (const [key, entry] of this.entries) if (entry.expireAtMs !== -1 && now > entry.expireAtMs) this.expire(key)
  }

  clear(): void {
    this.entries = new Map()
  }

  /** Trades contents with another database; clients and watches stay where they are. */
  swapContents(other: Database): void {
    const { entries, nextSequence } = this
    this.entries = other.entries
    this.nextSequence = other.nextSequence
    other.entries = entries
    other.nextSequence = nextSequence
  }

  private expire(key: string): void {
    this.entries.delete(key)
    this.state.expired++
    this.state.onExpired?.(key)
    this.noticeWatchers(key)
  }

  private noticeWatchers(key: string): void {
    if (this.watchers.size === 0) return
    const watchers = this.watchers.get(key)
    if (watchers === undefined) return
    for (const watched of [...watchers]) {
      // A key that had expired when WATCH saw it and is now deleted has not changed for its watcher.
      if (watched.expired && !this.entries.has(key)) watched.expired = false
      else if (watched.expired) return
      else watched.broken()
    }
  }
}
