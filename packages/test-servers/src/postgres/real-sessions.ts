import { ServerGone } from '../server-gone.ts'
import { RealSession } from './real-session.ts'
import { WireClient } from './wire-client.ts'
import { type Login, superuser } from './wire-connection.ts'

/** No statement takes that long, so a longer silence means that the machine stalls. */
const silenceMs = 15_000
/** The polling interval. */
const lookMs = 2

/** For each session number, the sessions that it waits for. */
export type Waiting = ReadonlyMap<number, readonly number[]>

/**
 * The sessions of a real server, which process one message after another, and a monitor connection
 * that shows which session waits for which. All log in as one user to one database.
 */
export class RealSessions {
  readonly #sessions = new Map<number, RealSession>()
  /** Sessions whose processes are stopped until their turn. */
  readonly #frozen = new Set<number>()

  private constructor(
    private readonly port: number,
    readonly monitor: WireClient,
  ) {}

  /**
   * Creates the user and its database if missing.
   * @throws if no server listens
   */
  static async open(port: number, { user, database }: { user: string; database: string }): Promise<RealSessions> {
    const first = await WireClient.open(port)
    const [found] = await first.query(`SELECT 1 FROM pg_database WHERE datname = ${literal(database)}`)
    if (found === undefined || 'error' in found || found.rows.length === 0) {
      await first.query(`CREATE ROLE ${name(user)} LOGIN`)
      await first.query(`GRANT SET ON PARAMETER deadlock_timeout TO ${name(user)}`)
      await first.query(`CREATE DATABASE ${name(database)} OWNER ${name(user)}`)
    }
    first.close()
    return new RealSessions(port, await WireClient.open(port, { ...superuser, database }))
  }

  async begin(number: number, login: Login): Promise<RealSession> {
    const session = await RealSession.open(this.port, login)
    this.#sessions.set(number, session)
    return session
  }

  /**
   * Returns the session of that number.
   * @throws Error if no session has that number
   */
  of(number: number): RealSession {
    const session = this.#sessions.get(number)
    if (session === undefined) throw new Error(`session ${number} has not started`)
    return session
  }

  numberOf(processId: number): number {
    return [...this.#sessions].find(([, session]) => session.processId === processId)?.[0] ?? -1
  }

  /** Ends the session. Resolves once it has rolled back and other sessions can see that. */
  async end(number: number): Promise<void> {
    const { processId } = this.of(number)
    await this.monitor.query(`SELECT pg_terminate_backend(${processId})`)
    await this.#until(async () => {
      const [left] = await this.monitor.query(`SELECT 1 FROM pg_stat_activity WHERE pid = ${processId}`)
      return left !== undefined && 'rows' in left && left.rows.length === 0
    })
    this.of(number).destroy()
    this.#sessions.delete(number)
  }

  /**
   * Resolves once each session has answered or waits for a lock. Returns which session waits for
   * which.
   * @throws ServerGone
   */
  async settle(): Promise<Waiting> {
    let waiting: Waiting = new Map()
    await this.#until(async () => {
      const before = waiting
      const pending = this.#pending()
      if (pending.length === 0) {
        waiting = new Map()
        return true
      }
      await Promise.race([...pending.map((number) => this.of(number).change()), after(lookMs)])
      if (this.#pending().length < pending.length) return false
      waiting = await this.#look(pending)
      return pending.every((number) => waiting.has(number)) && said(waiting) === said(before)
    })
    return waiting
  }

  /**
   * Resolves once that session has answered. This may take as long as deadlock detection.
   * @throws ServerGone
   */
  async untilOver(number: number): Promise<void> {
    await this.#until(async () => {
      if (this.of(number).isPending) await Promise.race([this.of(number).change(), after(lookMs)])
      return !this.of(number).isPending
    })
  }

  /**
   * Stops the processes of waiting sessions, so that they do not continue as soon as their locks
   * are free.
   */
  freeze(numbers: Iterable<number>): void {
    for (const number of numbers) {
      process.kill(this.of(number).processId, 'SIGSTOP')
      this.#frozen.add(number)
    }
  }

  thaw(number: number): void {
    if (this.#frozen.delete(number)) process.kill(this.of(number).processId, 'SIGCONT')
  }

  async close(): Promise<void> {
    for (const number of [...this.#frozen]) this.thaw(number)
    for (const number of [...this.#sessions.keys()]) await this.end(number)
    this.monitor.close()
  }

  #pending(): number[] {
    return [...this.#sessions].flatMap(([number, { isPending }]) =>
      isPending && !this.#frozen.has(number) ? [number] : [],
    )
  }

  async #look(pending: readonly number[]): Promise<Waiting> {
    const ids = pending.map((number) => this.of(number).processId)
    const [answer] = await this.monitor.query(
      `SELECT pid, array_to_string(pg_blocking_pids(pid), ',') FROM pg_stat_activity
       WHERE pid IN (${ids.join(',')}) AND wait_event_type = 'Lock'`,
    )
    if (answer === undefined || 'error' in answer) throw new ServerGone('the real PostgreSQL does not say who waits')
    const waiting = answer.rows.filter(([, blockers]) => blockers !== '')
    return new Map(
      waiting.map(([processId, blockers]) => [
        this.numberOf(Number(processId)),
        blockers!
          .split(',')
          .map((one) => this.numberOf(Number(one)))
          .sort(),
      ]),
    )
  }

  async #until(isSo: () => Promise<boolean>): Promise<void> {
    const startedMs = performance.now()
    while (!(await isSo()))
      if (performance.now() - startedMs > silenceMs)
        throw new ServerGone('the real PostgreSQL does not answer any more')
  }
}

const after = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

/** Which session waits for which, as text in a fixed order. */
const said = (waiting: Waiting): string => JSON.stringify([...waiting].sort(([a], [b]) => a - b))

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`
const name = (text: string): string => `"${text.replaceAll('"', '""')}"`
