/**
 * Reads the state of sessions of a real PostgreSQL server from its system views. A session is
 * identified by its client's port on the server's machine.
 */
import type { LivePostgres } from './live-postgres.ts'

/** The polling interval. */
const againMs = 3

export class PostgresSessions {
  constructor(private readonly server: LivePostgres) {}

  /** True if the server answers queries. */
  get answers(): boolean {
    return this.server.up && !this.server.frozen
  }

  /** True if the session waits for another one that holds a row, a transaction or a lock. */
  #waits(port: number): Promise<boolean> {
    return this.#isThere(port, 'cardinality(pg_blocking_pids(pid)) > 0')
  }

  /** True if closing the session releases something: an open transaction or a lock. */
  holds(port: number): Promise<boolean> {
    return this.#isThere(
      port,
      `state <> 'idle' OR EXISTS (SELECT FROM pg_locks WHERE pg_locks.pid = pg_stat_activity.pid AND locktype = 'advisory')`,
    )
  }

  /** Resolves once the session has ended and released everything, or the server is unavailable. */
  async gone(port: number): Promise<void> {
    while (this.answers && (await this.#isThere(port, 'true'))) await pause()
  }

  /** Resolves once the session waits, the server is unavailable, or `isOver` returns true. */
  async untilWaits(port: number, isOver: () => boolean): Promise<'waits' | 'unknown'> {
    while (!isOver() && this.answers) {
      if (await this.#waits(port)) return 'waits'
      await pause()
    }
    return 'unknown'
  }

  async untilWaitsNoMore(port: number): Promise<void> {
    while (this.answers && (await this.#waits(port))) await pause()
  }

  /**
   * True if such a session exists and meets the condition. A server that dies meanwhile has no
   * sessions.
   */
  async #isThere(port: number, condition: string): Promise<boolean> {
    try {
      const found = `SELECT pid FROM pg_stat_activity WHERE client_port = $1 AND (${condition})`
      return (await this.server.query(found, [port])).length > 0
    } catch (error) {
      if (!this.server.up) return false
      throw error
    }
  }
}

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, againMs))
