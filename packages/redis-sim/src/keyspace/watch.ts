import type { Database } from './database.ts'

/**
 * A key watched by a client, with the state that decides whether its EXEC may run. Source: multi.c
 * of Redis 7.0.
 */
export class WatchedKey {
  /** True if the key existed but had already expired when WATCH was executed. */
  expired: boolean

  constructor(
    readonly database: Database,
    readonly key: string,
    /** Called when the key changed; marks the client's transaction as broken. */
    readonly broken: () => void,
  ) {
    this.expired = database.isExpired(key)
    const watchers = database.watchers.get(key)
    if (watchers === undefined) database.watchers.set(key, [this])
    else watchers.push(this)
  }

  /** True if the key expired after the WATCH, even if it was not deleted yet. */
  get hasExpired(): boolean {
    return !this.expired && this.database.isExpired(this.key)
  }

  release(): void {
    const watchers = this.database.watchers.get(this.key)
    if (watchers === undefined) return
    const at = watchers.indexOf(this)
    if (at !== -1) watchers.splice(at, 1)
    if (watchers.length === 0) this.database.watchers.delete(this.key)
  }
}

/**
 * Called before a whole database is emptied, or (with `replacement`) swapped. A watched key counts
 * as changed if it exists before or afterwards. There is no change for a watcher if the key was
 * missing or expired before and is missing or expired afterwards.
 */
export function touchAllWatched(emptied: Database, replacement: Database | null): void {
  for (const [key, watchers] of [...emptied.watchers]) {
    const existed = emptied.entries.has(key)
    const replaced = replacement?.entries.has(key) ?? false
    if (!existed && !replaced) continue
    for (const watched of [...watchers]) {
      if (watched.expired) {
        if (!replaced) {
          watched.expired = false
          continue
        }
        if (replacement?.isExpired(key)) continue
      } else if (!existed && replacement?.isExpired(key)) {
        watched.expired = true
        continue
      }
      watched.broken()
    }
  }
}
