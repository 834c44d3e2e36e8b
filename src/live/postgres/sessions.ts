/**
 * Sessions of a real PostgreSQL server, as it tells of them itself. Each is named by the port that
 * its client has on the server's machine.
 */
import type { LivePostgres } from './live-postgres.ts'

/** How long until it is asked again. */
const againMs = 3

export class PostgresSessions {
  constructor(private readonly server: LivePostgres) {}

  /** Whether it answers questions. */
  get answers(): boolean {
    return this.server.up && !this.server.frozen
  }

  /** Whether the session waits for another one: for its row, its transaction, its lock. */
  #waits(port: number): Promise<boolean> {
    return this.#isThere(port, 'cardinality(pg_blocking_pids(pid)) > 0')
  }

  /** Whether its end lets something go: it is in a transaction, or has a lock of its own. */
  holds(port: number): Promise<boolean> {
    return this.#isThere(
      port,
      `state <> 'idle' OR EXISTS (SELECT FROM pg_locks WHERE pg_locks.pid = pg_stat_activity.pid AND locktype = 'advisory')`,
    )
  }

  /** Resolves once it has ended, with all that it held; also where the server does. */
  async gone(port: number): Promise<void> {
    while (this.answers && (await this.#isThere(port, 'true'))) await pause()
  }

  /** Resolves once it waits, or the server answers nothing, or nobody wants to know any more. */
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
   * Whether there is such a session of which the condition is true. A server that dies meanwhile
   * has no sessions.
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
