/** Sessions of a real PostgreSQL server, as it tells of them itself. Each is named by the port that its client has on the server's machine. */
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
  async #waits(port: number): Promise<boolean> {
    const rows = await this.#ask(
      'SELECT pid FROM pg_stat_activity WHERE client_port = $1 AND cardinality(pg_blocking_pids(pid)) > 0',
      port,
    )
    return rows.length > 0
  }

  /** Whether its end lets something go: it is in a transaction, or has a lock of its own. */
  async holds(port: number): Promise<boolean> {
    const rows = await this.#ask(
      `SELECT pid FROM pg_stat_activity WHERE client_port = $1
       AND (state <> 'idle' OR EXISTS (SELECT FROM pg_locks WHERE pg_locks.pid = pg_stat_activity.pid AND locktype = 'advisory'))`,
      port,
    )
    return rows.length > 0
  }

  /** Resolves once it has ended, with all that it held; also where the server does. */
  async gone(port: number): Promise<void> {
    while (
      this.answers &&
      (await this.#ask('SELECT pid FROM pg_stat_activity WHERE client_port = $1', port)).length > 0
    )
      await pause()
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

  /** A server that dies meanwhile has no sessions. */
  async #ask(text: string, port: number): Promise<object[]> {
    try {
      return await this.server.query(text, [port])
    } catch (error) {
      if (!this.server.up) return []
      throw error
    }
  }
}

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, againMs))
