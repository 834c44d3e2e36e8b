/**
 * The layer's access to PostgreSQL: statements on clients of the caller's pool, each in a separate
 * transaction. Every statement may be sent again with the same arguments, so it is repeated until
 * it is answered or the caller's timeout ends.
 */
import { asError } from '../as-error.ts'
import type { Settings } from '../options.ts'
import { pause, within } from '../pause.ts'
import type { PgAnswer, PgClient, PgNotice, PgPool, Row } from './pool.ts'
import { checkTables, SchemaError } from './schema.ts'
import { tablesOf } from './sql.ts'

export type Answer =
  /**
   * `sentAtMs`: when the answered statement was sent, on this process's monotonic clock.
   */
  | { readonly answered: true; readonly rows: readonly Row[]; readonly sentAtMs: number }
  /** No answer. The statement may have been executed, or may be executed later. */
  | { readonly answered: false; readonly error: Error }

const never: unique symbol = Symbol('never')

type Needed = Pick<Settings, 'commandMs' | 'callTimeoutMs' | 'ttlMs' | 'namespace'>

export class Sessions {
  readonly #pool: PgPool
  readonly #settings: Needed
  #checked = false
  #closed = false

  constructor(pool: PgPool, settings: Needed) {
    this.#pool = pool
    this.#settings = settings
  }

  /** Sends the statement once. For callers that will soon call again anyway. */
  async once(text: string, values: readonly unknown[]): Promise<Answer> {
    try {
      return await this.use(async (session) => {
        const sentAtMs = performance.now()
        return { answered: true, rows: await session.ask(text, values), sentAtMs }
      })
    } catch (error) {
      return { answered: false, error: asError(error) }
    }
  }

  /**
   * Repeats until PostgreSQL answers, `forMs` have passed, or the layer is closed; does not repeat
   * if the layer's tables differ.
   */
  async call(text: string, values: readonly unknown[], forMs = this.#settings.callTimeoutMs): Promise<Answer> {
    const until = performance.now() + forMs
    for (let backoffMs = 50; ; backoffMs = Math.min(2 * backoffMs, 1000)) {
      if (this.#closed) return { answered: false, error: new Error('the layer is closed') }
      const answer = await this.once(text, values)
      if (answer.answered || answer.error instanceof SchemaError || performance.now() + backoffMs >= until)
        return answer
      await pause(backoffMs)
    }
  }

  /**
   * Repeats for as long as the record matters, because it must be written even if the caller has
   * stopped waiting. The caller waits no longer than `callTimeoutMs`.
   */
  persist(text: string, values: readonly unknown[]): Promise<Answer> {
    const late: Answer = { answered: false, error: new Error('PostgreSQL did not answer in time') }
    return within(this.#settings.callTimeoutMs, this.call(text, values, this.#settings.ttlMs), late)
  }

  /**
   * Provides a client for the duration of the work. If the work fails, the connection is closed,
   * and with it any open transaction.
   */
  async use<T>(work: (session: Session) => Promise<T>): Promise<T> {
    const client = await this.#connect()
    const session = new Session(client, this.#settings.commandMs)
    let failed: Error | undefined
    try {
      if (!this.#checked) {
        await session.within(checkTables(client, tablesOf(this.#settings.namespace)))
        this.#checked = true
      }
      return await work(session)
    } catch (error) {
      failed = asError(error)
      throw error
    } finally {
      session.stopListening()
      client.release(failed)
    }
  }

  async #connect(): Promise<PgClient> {
    const connecting = this.#pool.connect()
    const client = await within<PgClient | typeof never>(this.#settings.callTimeoutMs, connecting, never)
    if (client !== never) return client
    connecting.then((late) => late.release()).catch(() => {}) // the caller has given up
    throw new Error('the pool gave no client in time')
  }

  /** The pool is the caller's, and stays open. */
  close(): void {
    this.#closed = true
  }
}

export class Session {
  readonly client: PgClient
  readonly #commandMs: number
  #warning: PgNotice | null = null

  constructor(client: PgClient, commandMs: number) {
    this.client = client
    this.#commandMs = commandMs
    client.on('notice', this.#noticed)
    client.on('error', ignored)
  }

  /**
   * Throws if the answer is late or comes with a warning. If a commit has
   * stopped waiting for its synchronous standby, the warning is the only sign of
   * that.
   */
  async ask(text: string, values: readonly unknown[] = []): Promise<readonly Row[]> {
    return (await this.#answerTo(text, values)).rows
  }

  /**
   * Sends COMMIT. Throws if the transaction had failed: COMMIT is then answered without an error or
   * a warning, and only its command tag differs.
   */
  async commit(): Promise<void> {
    const { command } = await this.#answerTo('COMMIT')
    if (command !== 'COMMIT')
      throw new Error(`PostgreSQL answered COMMIT with ${command}: a statement before it failed`)
  }

  async #answerTo(text: string, values: readonly unknown[] = []): Promise<PgAnswer> {
    this.#warning = null
    const answer = await this.within(this.client.query(text, [...values]))
    const warning = this.#warning as PgNotice | null
    if (warning !== null) throw new Error(`PostgreSQL warned: ${warning.message} (${warning.code})`)
    return answer
  }

  async within<T>(work: Promise<T>): Promise<T> {
    const done = await within<T | typeof never>(this.#commandMs, work, never)
    if (done !== never) return done
    work.catch(() => {}) // it ends with its connection
    throw new Error(`PostgreSQL did not answer within ${this.#commandMs} ms`)
  }

  stopListening(): void {
    this.client.removeListener('notice', this.#noticed)
    this.client.removeListener('error', ignored)
  }

  #noticed = (notice: PgNotice): void => {
    if (notice.code !== '00000') this.#warning = notice
  }
}

/**
 * The query in progress gets the error too. A pool listens to its clients only while they are
 * idle.
 */
const ignored = () => {}
