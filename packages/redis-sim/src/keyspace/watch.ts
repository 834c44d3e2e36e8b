import type { Database } from './database.ts'

/**
 * One key that one client watches, with what decides whether its EXEC may run. Source: multi.c of
 * Redis 7.0.
 */
export class WatchedKey {
  /** It existed and was already expired when WATCH saw it. */
  expired: boolean

  constructor(
    readonly database: Database,
    readonly key: string,
    /** Marks the client's transaction as broken; called when the key changed. */
    readonly broken: () => void,
  ) {
    this.expired = database.isExpired(key)
    const watchers = database.watchers.get(key)
    if (watchers === undefined) database.watchers.set(key, [this])
    else watchers.push(this)
  }

  /** Expired since it was watched, whether or not anything deleted it yet. */
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
 * A whole database is about to be emptied, or (with `replacement`) to take another's contents:
 * every watched key that exists before or after counts as changed, but for keys that were and stay
 * expired.
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
