/**
 * The harness's direct access to the PostgreSQL server of a live run, which does not use the links
 * of consumers.
 */
import type { Client } from 'pg'
import { effectsSchema, effectsTable } from '../../run/sink/effects-table.ts'
import { Standstill } from '../evidence/standstill.ts'
import { Turns } from '../servers/turns.ts'
import { openClient } from './open-client.ts'
import type { Login, PostgresMachine } from './postgres-machine.ts'

const timeoutMs = 5_000
const lockMs = 500

export class LivePostgres {
  up = true
  frozen = false
  /** The evidence of the server's last freeze. */
  standstill = new Standstill('PostgreSQL')
  readonly #turns = new Turns()
  #client: Client | null = null
  #closed = false
  #starting: Promise<void> | null = null

  constructor(readonly machine: PostgresMachine) {}

  /** Creates the layer's database, with the table of effects if effects are rows. */
  async open(withEffects: boolean): Promise<void> {
    const { login, operator, makes } = this.machine
    if (makes) {
      const first = await this.#connect(operator)
      await first.query(`CREATE ROLE ${login.user} LOGIN PASSWORD '${login.password}'`)
      await first.query(`CREATE DATABASE ${login.database} OWNER ${login.user}`)
      await first.end()
    }
    await this.#reach()
    if (!withEffects) return
    await this.query(effectsSchema)
    // Effects are final, so the layer may not change their rows.
    if (makes) await this.query(`GRANT SELECT, INSERT ON ${effectsTable} TO ${login.user}`)
  }

  async query<Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    if (this.#client === null) throw new Error('the PostgreSQL server is down')
    return (await this.#client.query<Row & Record<string, unknown>>(text, [...values])).rows
  }

  /**
   * Waits for the turn of an operation. Resolves to a function that ends the turn. A fault that
   * makes the server unavailable keeps its turn until it heals.
   */
  turn(): Promise<() => void> {
    return this.#turns.next()
  }

  async kill(): Promise<void> {
    this.up = false
    this.#leave()
    await this.machine.kill()
  }

  /** Starts the server once, even if a healing fault and the end of the run both start it. */
  start(): Promise<void> {
    this.#starting ??= this.#start().finally(() => {
      this.#starting = null
    })
    return this.#starting
  }

  /** Does nothing if this object was closed, because nothing is started after the end of a run. */
  async #start(): Promise<void> {
    if (this.#closed || this.up) return
    await this.machine.start()
    if (this.#closed) return
    await this.#reach()
    this.up = true
  }

  /** Freezes or resumes the server. A frozen server answers nothing. */
  async freeze(on: boolean): Promise<void> {
    this.frozen = on
    if (!on) this.standstill.end()
    await this.machine.freeze(on)
    if (on) this.standstill = Standstill.of('PostgreSQL', this.query('SELECT 1'))
  }

  /** Stops or allows new sessions of the layer's clients. Existing sessions are not affected. */
  async exhaust(on: boolean): Promise<void> {
    await this.query(`ALTER ROLE ${this.machine.login.user} CONNECTION LIMIT ${on ? 0 : -1}`)
  }

  close(): void {
    this.#closed = true
    this.#leave()
  }

  /** Connects as the operator to the layer's database. */
  async #reach(): Promise<void> {
    const { operator, login } = this.machine
    this.#client = await this.#connect({ ...operator, database: login.database })
    // The wait for locks is limited, because a layer may lock its tables.
    await this.query(`SET lock_timeout = ${lockMs}`)
  }

  #connect({ user, password, database }: Login): Promise<Client> {
    const { host, port } = this.machine
    return openClient({ host, port, user, password, database, connectionTimeoutMillis: timeoutMs })
  }

  /** Closes the connection without a message, because the server may be frozen or gone. */
  #leave(): void {
    const { connection } = (this.#client ?? {}) as { connection?: { stream: { destroy(): void } } }
    connection?.stream.destroy()
    this.#client = null
  }
}
