import type { Int64 } from '../numbers/int64.ts'
import type { Entry } from './entry.ts'
import { type EventClass, Waiters } from './waiters.ts'
import type { WatchedKey } from './watch.ts'

/**
 * How expired keys are handled.
 * - `delete`: deleted when accessed.
 * - `hide`: kept but invisible, until the primary deletes them (a replica).
 * - `hide-from-reads`: deleted when accessed by a write command (a writable replica).
 * - `ignore`: treated as live, because the primary decides (commands from a primary, a data set
 *   being loaded).
 */
export type Expiry = 'delete' | 'hide' | 'hide-from-reads' | 'ignore'

/** Milliseconds between two runs of real Redis's active expiry cycle. Source: `hz` of Redis 7.0. */
const expiryCycleMs = 100

/**
 * State shared by all databases of a server: the time that the running command sees, and counters.
 */
export interface KeyspaceState {
  /** Milliseconds. Constant while a command, a transaction or a script runs. */
  nowMs: number
  /** Number of changes to the data set since the server started. */
  changes: number
  hits: number
  misses: number
  expired: number
  /** Publishes a key event; null while notify-keyspace-events is empty. */
  notify: ((database: Database, kind: EventClass, event: string, key: string) => void) | null
  /** Sends an invalidation to clients that cache a key; null if CLIENT TRACKING was never used. */
  invalidated: ((key: string) => void) | null
  /** Changed keys that a blocked client waits for, in order. */
  ready: { readonly database: Database; readonly key: string }[]
  /** Called for each key that expires. */
  onExpired?: ((database: Database, key: string) => void) | undefined
  /** How expired keys are handled. */
  expiry: Expiry
}

/**
 * One numbered database. Expired keys are deleted when accessed. Commands that see an expired key
 * in Redis also see it here. There is no background expiry, because a recurring timer would never
 * let a simulated run end. Instead, commands that count keys call `runExpiryCycle` first, which has
 * the effect of a background cycle at the last tenth of a second. A primary with replicas has a
 * timer every second anyway, and that timer deletes expired keys.
 */
export class Database {
  entries = new Map<string, Entry>()
  readonly watchers = new Map<string, WatchedKey[]>()
  /** Clients blocked on keys. */
  readonly waiters: Waiters = new Waiters(this)
  private nextSequence = 1

  constructor(
    readonly index: number,
    readonly state: KeyspaceState,
  ) {}

  /**
   * Returns the entry for a write command, or for a read that is not counted as a hit or miss.
   * Updates the access time.
   */
  get(key: string, writes = true): Entry | undefined {
    const entry = this.entries.get(key)
    if (entry === undefined) return undefined
    if (entry.expireAtMs !== -1 && this.state.nowMs > entry.expireAtMs && this.isGone(key, writes)) return undefined
    entry.accessedMs = this.state.nowMs
    return entry
  }

  /** Returns the entry for a read command; counts a hit or a miss and updates the access time. */
  read(key: string): Entry | undefined {
    return this.counted(key, this.get(key, false))
  }

  /**
   * Returns the entry for a read command that does not update the access time (EXISTS, TTL, TYPE);
   * counts a hit or a miss.
   */
  glance(key: string): Entry | undefined {
    return this.counted(key, this.peek(key))
  }

  private counted(key: string, entry: Entry | undefined): Entry | undefined {
    if (entry === undefined) {
      this.state.misses++
      this.notify('m', 'keymiss', key)
    } else this.state.hits++
    return entry
  }

  /** Returns the entry without changing the statistics or the access time. */
  peek(key: string): Entry | undefined {
    const entry = this.entries.get(key)
    if (entry === undefined) return undefined
    if (entry.expireAtMs !== -1 && this.state.nowMs > entry.expireAtMs && this.isGone(key, false)) return undefined
    return entry
  }

  isExpired(key: string): boolean {
    const entry = this.entries.get(key)
    if (entry === undefined || entry.expireAtMs === -1 || this.state.expiry === 'ignore') return false
    return this.state.nowMs > entry.expireAtMs
  }

  /** Stores an entry with its deadline under a key, replacing any previous entry. */
  put(key: string, entry: Entry): void {
    let previous = this.entries.get(key)
    // If the previous entry is expired, it is deleted first instead of being overwritten.
    if (previous !== undefined && previous.expireAtMs !== -1 && previous !== entry && this.isExpired(key)) {
      if (this.isGone(key, true)) previous = this.entries.get(key)
    }
    entry.sequence = previous === undefined ? this.nextSequence++ : previous.sequence
    entry.accessedMs = this.state.nowMs
    this.entries.set(key, entry)
    if (this.waiters.any) this.waiters.signal(key)
    if (previous === undefined && this.state.notify !== null) this.notify('n', 'new', key)
  }

  remove(key: string): boolean {
    if (this.waiters.any) this.waiters.signal(key)
    return this.entries.delete(key)
  }

  /**
   * Called when a command changed the key: notifies the key's watchers and publishes the key event.
   */
  touched(key: string, kind: EventClass, event: string): void {
    this.state.changes++
    this.noticeWatchers(key)
    if (this.state.notify !== null) this.state.notify(this, kind, event, key)
  }

  notify(kind: EventClass, event: string, key: string): void {
    if (this.state.notify !== null) this.state.notify(this, kind, event, key)
  }

  /** Deletes a key whose collection became empty, after the event of the change. */
  removeEmptied(key: string): void {
    this.remove(key)
    this.notify('g', 'del', key)
  }

  /**
   * True if a key that gets this deadline is deleted immediately. A replica, and a server that is
   * loading, wait for the primary to delete the key.
   */
  isPast(deadline: Int64): boolean {
    return deadline <= this.state.nowMs && this.state.expiry === 'delete'
  }

  /** Deletes keys that had expired by this time. */
  dropExpired(asOfMs: number = this.state.nowMs): void {
    if (this.state.expiry !== 'delete') return
    for (const [key, entry] of this.entries) if (entry.expireAtMs !== -1 && asOfMs > entry.expireAtMs) this.expire(key)
  }

  /**
   * Deletes what a real server's background cycle would have deleted by now. Called before counting
   * keys.
   */
  runExpiryCycle(): void {
    this.dropExpired(this.state.nowMs - (this.state.nowMs % expiryCycleMs))
  }

  clear(): void {
    this.entries = new Map()
  }

  /** Swaps the keys with another database. Blocked clients and watches are not swapped. */
  swapContents(other: Database): void {
    const { entries, nextSequence } = this
    this.entries = other.entries
    this.nextSequence = other.nextSequence
    other.entries = entries
    other.nextSequence = nextSequence
  }

  private isGone(key: string, writes: boolean): boolean {
    const { expiry } = this.state
    if (expiry === 'ignore') return false
    if (expiry === 'delete' || (writes && expiry === 'hide-from-reads')) this.expire(key)
    return true
  }

  private expire(key: string): void {
    this.remove(key)
    this.state.expired++
    this.state.onExpired?.(this, key)
    this.noticeWatchers(key)
    this.notify('x', 'expired', key)
  }

  noticeWatchers(key: string): void {
    if (this.state.invalidated !== null) this.state.invalidated(key)
    if (this.watchers.size === 0) return
    const watchers = this.watchers.get(key)
    if (watchers === undefined) return
    for (const watched of [...watchers]) {
      // The key had already expired at the WATCH, so its deletion is not a change for this watcher.
      if (watched.expired && !this.entries.has(key)) watched.expired = false
      else if (watched.expired) return
      else watched.broken()
    }
  }
}
