import type { Reply } from '../resp/reply.ts'
import type { Database } from './database.ts'

/** Event classes, as the letters of notify-keyspace-events. */
export type EventClass = 'g' | '$' | 'l' | 's' | 'h' | 'z' | 't' | 'x' | 'e' | 'm' | 'n'

/** The keys that a blocked client waits for. */
export interface KeysAwaited {
  readonly database: Database
  readonly keys: readonly string[]
  /** Serves the client from this key; undefined if the client stays blocked. */
  serve(key: string): Reply | undefined
}

export interface Waiter {
  readonly awaited: KeysAwaited
  resolve(reply: Reply): void
}

/** Clients blocked on keys of one database. Each key serves them first come, first served. */
export class Waiters {
  private readonly byKey = new Map<string, Waiter[]>()
  private readonly signalled = new Set<string>()

  constructor(private readonly database: Database) {}

  get any(): boolean {
    return this.byKey.size !== 0
  }

  add(waiter: Waiter): void {
    for (const key of new Set(waiter.awaited.keys)) {
      const queue = this.byKey.get(key)
      if (queue === undefined) this.byKey.set(key, [waiter])
      else queue.push(waiter)
    }
  }

  remove(waiter: Waiter): void {
    for (const key of waiter.awaited.keys) {
      const queue = this.byKey.get(key)
      const at = queue?.indexOf(waiter) ?? -1
      if (at === -1) continue
      queue!.splice(at, 1)
      if (queue!.length === 0) this.byKey.delete(key)
    }
  }

  /**
   * Called when the key changed in a way that may serve a client. Clients are served after the
   * running command, transaction or script.
   */
  signal(key: string): void {
    if (!this.byKey.has(key) || this.signalled.has(key)) return
    this.signalled.add(key)
    this.database.state.ready.push({ database: this.database, key })
  }

  signalAll(): void {
    for (const key of this.byKey.keys()) this.signal(key)
  }

  /** Serves clients from the key, in the order in which they blocked. */
  serve(key: string): void {
    this.signalled.delete(key)
    for (const waiter of [...(this.byKey.get(key) ?? [])]) {
      const reply = waiter.awaited.serve(key)
      if (reply !== undefined) waiter.resolve(reply)
    }
  }
}
