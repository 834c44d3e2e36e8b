/**
 * The harness's direct access to one Redis server of a live run, which does not use the proxies of
 * consumers.
 */
import { Redis, type RedisOptions } from 'ioredis'
import { Standstill } from '../evidence/standstill.ts'
import { Turns } from './turns.ts'

/** An operation on a server that faults need. */
export type Power = 'restart' | 'freeze' | 'flush' | 'configure' | 'clock' | 'cut-off'

/** Controls a server. Implementations differ by where the server runs. */
export interface ServerMachine {
  readonly host: string
  readonly port: number
  /** Further options for clients: password, TLS, database. */
  readonly access: Pick<RedisOptions, 'username' | 'password' | 'db' | 'tls'>
  /** Resolves to false if the server ended without being asked to. */
  isAlive(): Promise<boolean>
  kill(): Promise<void>
  start(): Promise<void>
  freeze(on: boolean): Promise<void>
}

const settingDegradations = ['evicts', 'out of memory', 'full'] as const
/** Degradations that are caused by settings of the server. */
export type SettingDegradation = (typeof settingDegradations)[number]
/** Degradations of a server. Each can be caused by only one fault at a time. */
export type ServerDegradation = SettingDegradation | 'busy' | 'frozen'

const isSetting = (degradation: ServerDegradation): degradation is SettingDegradation =>
  (settingDegradations as readonly string[]).includes(degradation)

export class LiveServer {
  up = true
  readonly #degradations = new Set<ServerDegradation>()
  readonly #turns = new Turns()
  /** Settles when the script that keeps the server busy has ended. */
  #occupied: Promise<unknown> = Promise.resolve()
  #client: Redis
  #subscriber: Redis | null = null
  #closed = false
  /** The evidence of the server's last freeze. */
  standstill = new Standstill('Redis')

  constructor(
    readonly machine: ServerMachine,
    /** Why the server does not allow the power; null if it allows it. */
    readonly refuses: (power: Power) => string | null,
    /** The pattern of this run's keys; `*` on a server that the harness started. */
    private readonly keyPattern: string,
    private readonly expired: (key: string) => void,
  ) {
    this.#client = this.#connect()
  }

  /** Notes a degradation. Returns false if the server already has it. */
  enter(degradation: ServerDegradation): boolean {
    if (this.#degradations.has(degradation)) return false
    this.#degradations.add(degradation)
    return true
  }

  leave(degradation: ServerDegradation): void {
    this.#degradations.delete(degradation)
  }

  /**
   * Waits for the turn of an operation on the server. Resolves to a function that ends the turn. An
   * operation that makes the server unavailable (dead, frozen, busy) keeps its turn until it has
   * healed.
   */
  turn(): Promise<() => void> {
    return this.#turns.next()
  }

  call(command: string, ...args: string[]): Promise<unknown> {
    return this.#client.call(command, ...args)
  }

  /**
   * Keeps the server busy with an endless script, until `release`. Returns false if the server
   * accepts no connection for the script.
   */
  async occupy(): Promise<boolean> {
    await this.set('lua-time-limit', '1')
    const client = this.#connect()
    let ended = false
    const end = (): void => {
      ended = true
      client.disconnect()
    }
    this.#occupied = client.call('EVAL', 'while true do end', '0').then(end, end)
    while (!ended) if (await this.#isBusy()) return true
    return false
  }

  async release(): Promise<void> {
    await this.call('SCRIPT', 'KILL')
    await this.#occupied
  }

  async #isBusy(): Promise<boolean> {
    try {
      await this.call('PING')
      return false
    } catch {
      return true
    }
  }

  async keys(): Promise<string[]> {
    const keys: string[] = []
    for (let cursor = '0'; ; ) {
      const [next, some] = await this.#client.scan(cursor, 'MATCH', this.keyPattern, 'COUNT', 1000)
      keys.push(...some)
      if (next === '0') return [...new Set(keys)]
      cursor = next
    }
  }

  async countKeys(): Promise<{ keys: number; withoutExpiry: string[] }> {
    const endTurn = await this.turn()
    const keys = await this.keys()
    const left = await Promise.all(keys.map((key) => this.#client.pttl(key)))
    endTurn()
    return { keys: keys.length, withoutExpiry: keys.filter((_, at) => left[at] === -1) }
  }

  /** Reports expired keys. Redis reports a key when it deletes it. */
  async recordExpired(): Promise<void> {
    if (this.refuses('configure') !== null) return
    await this.set('notify-keyspace-events', 'Ex')
    this.#subscriber = this.#connect()
    this.#subscriber.on('message', (_channel, key) => this.expired(key))
    await this.#subscriber.subscribe(`__keyevent@${this.machine.access.db ?? 0}__:expired`)
  }

  /**
   * The time until the last of these keys expires by the server's clock, in milliseconds; negative
   * if none of them will.
   */
  async expireInMs(keys: readonly string[]): Promise<number> {
    return Math.max(...(await Promise.all(keys.map(async (key) => Number(await this.call('PTTL', key))))))
  }

  async stop(): Promise<void> {
    this.up = false
    this.#disconnect()
    await this.machine.kill()
  }

  /**
   * Starts the server without data. Does nothing if this object was closed, because nothing is
   * started after the end of a run.
   */
  async startEmpty(): Promise<void> {
    if (this.#closed) return
    await this.machine.start()
    if (this.#closed) return
    this.#client = this.#connect()
    await this.recordExpired()
    // Degradations by other faults are applied again, because those faults are still in force.
    for (const degradation of this.#degradations) if (isSetting(degradation)) await this.impose(degradation)
    this.up = true
  }

  /** Applies a degradation by settings, which a restart resets. */
  async impose(degradation: SettingDegradation): Promise<void> {
    if (degradation === 'out of memory') await this.set('maxmemory', '1')
    if (degradation === 'evicts') await this.set('maxmemory-policy', 'allkeys-random')
    // The server accepts no more clients than it has now.
    if (degradation === 'full') await this.set('maxclients', String(await this.figure('clients', 'connected_clients')))
  }

  async lift(degradation: SettingDegradation): Promise<void> {
    if (degradation === 'out of memory') await this.set('maxmemory', '0')
    if (degradation === 'evicts') await this.set('maxmemory-policy', 'noeviction')
    if (degradation === 'full') await this.set('maxclients', '10000')
  }

  async set(name: string, value: string): Promise<void> {
    await this.call('CONFIG', 'SET', name, value)
  }

  /** A number of INFO by its section and name; 0 if it is missing. */
  async figure(section: string, name: string): Promise<number> {
    const info = String(await this.call('INFO', section))
    return Number(new RegExp(`${name}:(\\d+)`).exec(info)?.[1] ?? '0')
  }

  /** Freezes or resumes the server. A frozen server answers no PING. */
  async freeze(on: boolean): Promise<void> {
    if (!on) this.standstill.end()
    await this.machine.freeze(on)
    if (on) this.standstill = Standstill.of('Redis', this.call('PING'))
  }

  close(): void {
    this.#closed = true
    this.#disconnect()
  }

  #connect(): Redis {
    const { host, port, access } = this.machine
    const client = new Redis({ host, port, ...access, maxRetriesPerRequest: 3, connectTimeout: 3000 })
    // An error is ignored here, because it also appears in the results of commands.
    client.on('error', () => {})
    return client
  }

  #disconnect(): void {
    this.#client.disconnect()
    this.#subscriber?.disconnect()
    this.#subscriber = null
  }
}
