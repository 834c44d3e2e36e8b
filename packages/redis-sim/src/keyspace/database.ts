import type { Int64 } from '../numbers/int64.ts'
import type { Entry } from './entry.ts'
import { type EventClass, Waiters } from './waiters.ts'
import type { WatchedKey } from './watch.ts'

/**
 * `delete`: it goes when it is touched. `hide`: it stays and is not seen, for the primary will
 * delete it (a replica). `hide-from-reads`: it goes when a command that writes touches it (a
 * replica that may be written to). `ignore`: time is up when the primary says so (what a primary
 * sends, a data set being read).
 */
export type Expiry = 'delete' | 'hide' | 'hide-from-reads' | 'ignore'

/** Real Redis looks for expired keys ten times a second. Source: `hz` of Redis 7.0. */
const expiryCycleMs = 100

/** What all databases of a server share: the time that the running command sees, and counters. */
export interface KeyspaceState {
  /** Frozen while a command, a transaction or a script runs. */
  nowMs: number
  /** Changes to the data set since the server began. */
  changes: number
  hits: number
  misses: number
  expired: number
  /** Tells subscribers what happened to a key; null while notify-keyspace-events is empty. */
  notify: ((database: Database, kind: EventClass, event: string, key: string) => void) | null
  /** Tells clients that cache a key that it changed; null while none ever has. */
  invalidated: ((key: string) => void) | null
  /** Keys that a blocked client waits for and that have changed, in order. */
  ready: { readonly database: Database; readonly key: string }[]
  /** Called for every key that goes because its time was up. */
  onExpired?: ((database: Database, key: string) => void) | undefined
  /** What becomes of a key whose time is up. */
  expiry: Expiry
}

/**
 * One numbered database. Expired keys go when they are touched, and are invisible to everything but
 * what Redis lets see them; there is no background expiry (a timer would keep the world alive for
 * ever), so that what counts keys calls `runExpiryCycle` first and answers as if the background
 * cycle had run at the last tenth of a second. A primary with replicas, which has something to do
 * every second anyway, does it then.
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

  /** For a command that writes, and for reads that do not count as such. */
  get(key: string, writes = true): Entry | undefined {
    const entry = this.entries.get(key)
    if (entry === undefined) return undefined
    if (entry.expireAtMs !== -1 && this.state.nowMs > entry.expireAtMs && this.isGone(key, writes)) return undefined
    entry.accessedMs = this.state.nowMs
    return entry
  }

  /** For a command that reads: counts a hit or a miss. */
  read(key: string): Entry | undefined {
    return this.counted(key, this.get(key, false))
  }

  /** For a command that reads, and leaves the access time alone (EXISTS, TTL, TYPE). */
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

  /** Counts nothing, and leaves the access time alone. */
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

  /** Puts an entry under a key, over whatever was there. Its deadline is the entry's own. */
  put(key: string, entry: Entry): void {
    let previous = this.entries.get(key)
    // What is in the way may have expired, and is then not overwritten but gone.
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

  /** A command changed the key: its watchers must know, and the subscribers to keyspace events. */
  touched(key: string, kind: EventClass, event: string): void {
    this.state.changes++
    this.noticeWatchers(key)
    if (this.state.notify !== null) this.state.notify(this, kind, event, key)
  }

  notify(kind: EventClass, event: string, key: string): void {
    if (this.state.notify !== null) this.state.notify(this, kind, event, key)
  }

  /** What the key held is used up: the key goes, after the event that used it up. */
  removeEmptied(key: string): void {
    this.remove(key)
    this.notify('g', 'del', key)
  }

  /**
   * Whether a key that gets this deadline goes at once. A replica, and what is being read, wait to
   * be told.
   */
  isPast(deadline: Int64): boolean {
    return deadline <= this.state.nowMs && this.state.expiry === 'delete'
  }

  /** Deletes what had expired by then. */
  dropExpired(asOfMs: number = this.state.nowMs): void {
    if (this.state.expiry !== 'delete') return
    for (const [key, entry] of this.entries) if (entry.expireAtMs !== -1 && asOfMs > entry.expireAtMs) this.expire(key)
  }

  /**
   * What the background cycle of a real server had found when it last ran: before what counts keys.
   */
  runExpiryCycle(): void {
    this.dropExpired(this.state.nowMs - (this.state.nowMs % expiryCycleMs))
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
      // A key that had expired when WATCH saw it and is now deleted has not changed for its
      // watcher.
      if (watched.expired && !this.entries.has(key)) watched.expired = false
      else if (watched.expired) return
      else watched.broken()
    }
  }
}
