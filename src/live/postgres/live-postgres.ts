/**
 * One PostgreSQL server as a live run reaches it: directly, beside the links that consumers go
 * through.
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
  /** Of the last time that it was to stand still. */
  standstill = new Standstill('PostgreSQL')
  readonly #turns = new Turns()
  #client: Client | null = null
  #closed = false
  #starting: Promise<void> | null = null

  constructor(readonly machine: PostgresMachine) {}

  /** The layer's database, with the table of effects where the sink is one of rows. */
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
    // What was applied stays so: nobody else changes a row of it.
    if (makes) await this.query(`GRANT SELECT, INSERT ON ${effectsTable} TO ${login.user}`)
  }

  async query<Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    if (this.#client === null) throw new Error('the PostgreSQL server is down')
    return (await this.#client.query<Row & Record<string, unknown>>(text, [...values])).rows
  }

  /**
   * Resolves when it is one's turn, to what ends it: what takes its statements away keeps its turn
   * until it has healed.
   */
  turn(): Promise<() => void> {
    return this.#turns.next()
  }

  async kill(): Promise<void> {
    this.up = false
    this.#leave()
    await this.machine.kill()
  }

  /** Once, also where a fault heals as the run concludes, and both want it back. */
  start(): Promise<void> {
    this.#starting ??= this.#start().finally(() => {
      this.#starting = null
    })
    return this.#starting
  }

  /** Not where it is closed meanwhile: nothing of a run is started after its end. */
  async #start(): Promise<void> {
    if (this.#closed || this.up) return
    await this.machine.start()
    if (this.#closed) return
    await this.#reach()
    this.up = true
  }

  /** It answers no question until it may go on. */
  async freeze(on: boolean): Promise<void> {
    this.frozen = on
    if (!on) this.standstill.end()
    await this.machine.freeze(on)
    if (on) this.standstill = Standstill.of('PostgreSQL', this.query('SELECT 1'))
  }

  /** Clients of the layer get no session more, or get them again. Those who have one keep it. */
  async exhaust(on: boolean): Promise<void> {
    await this.query(`ALTER ROLE ${this.machine.login.user} CONNECTION LIMIT ${on ? 0 : -1}`)
  }

  close(): void {
    this.#closed = true
    this.#leave()
  }

  /** By a connection of the operator's to the layer's database. */
  async #reach(): Promise<void> {
    const { operator, login } = this.machine
    this.#client = await this.#connect({ ...operator, database: login.database })
    // A layer may lock what it has.
    await this.query(`SET lock_timeout = ${lockMs}`)
  }

  #connect({ user, password, database }: Login): Promise<Client> {
    const { host, port } = this.machine
    return openClient({ host, port, user, password, database, connectionTimeoutMillis: timeoutMs })
  }

  /** Without a word to a server that may stand still, or be gone. */
  #leave(): void {
    const { connection } = (this.#client ?? {}) as { connection?: { stream: { destroy(): void } } }
    connection?.stream.destroy()
    this.#client = null
  }
}
