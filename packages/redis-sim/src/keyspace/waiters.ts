import type { Reply } from '../resp/reply.ts'
import type { Database } from './database.ts'

/** The letters of notify-keyspace-events by which kinds of events are told apart. */
export type EventClass = 'g' | '$' | 'l' | 's' | 'h' | 'z' | 't' | 'x' | 'e' | 'm' | 'n'

/** What a blocked client waits for. */
export interface KeysAwaited {
  readonly database: Database
  readonly keys: readonly string[]
  /** Answers the client from this key, or leaves it waiting with undefined. */
  serve(key: string): Reply | undefined
}

export interface Waiter {
  readonly awaited: KeysAwaited
  resolve(reply: Reply): void
}

/** The clients that are blocked on keys of one database: first come, first served, key by key. */
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
   * The key changed in a way that may serve somebody once the running command, transaction or
   * script is over.
   */
  signal(key: string): void {
    if (!this.byKey.has(key) || this.signalled.has(key)) return
    this.signalled.add(key)
    this.database.state.ready.push({ database: this.database, key })
  }

  signalAll(): void {
    for (const key of this.byKey.keys()) this.signal(key)
  }

  /**
   * Serves the waiting clients that the key can serve, in the order in which they began to wait.
   */
  serve(key: string): void {
    this.signalled.delete(key)
    for (const waiter of [...(this.byKey.get(key) ?? [])]) {
      const reply = waiter.awaited.serve(key)
      if (reply !== undefined) waiter.resolve(reply)
    }
  }
}
