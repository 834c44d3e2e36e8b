/**
 * One Redis server as a live run reaches it: directly, beside the proxies that consumers go
 * through.
 */
import { Redis, type RedisOptions } from 'ioredis'
import { Standstill } from '../evidence/standstill.ts'
import { Turns } from './turns.ts'

/** What a server may have to let the harness do to it. */
export type Power = 'restart' | 'freeze' | 'flush' | 'configure' | 'clock' | 'cut-off'

/** What ends, starts and stops a server; how depends on where it runs. */
export interface ServerMachine {
  readonly host: string
  readonly port: number
  /** What clients have to give besides: password, TLS, database. */
  readonly access: Pick<RedisOptions, 'username' | 'password' | 'db' | 'tls'>
  /** False once it ended without being asked to. */
  isAlive(): Promise<boolean>
  kill(): Promise<void>
  start(): Promise<void>
  freeze(on: boolean): Promise<void>
}

const settingDegradations = ['evicts', 'out of memory', 'full'] as const
/** States that faults bring a server into by its settings. */
export type SettingDegradation = (typeof settingDegradations)[number]
/** States that faults bring a server into, each by one fault at a time. */
export type ServerDegradation = SettingDegradation | 'busy' | 'frozen'

const isSetting = (degradation: ServerDegradation): degradation is SettingDegradation =>
  (settingDegradations as readonly string[]).includes(degradation)

export class LiveServer {
  up = true
  readonly #degradations = new Set<ServerDegradation>()
  readonly #turns = new Turns()
  /** Settles when the script that keeps it busy has ended. */
  #occupied: Promise<unknown> = Promise.resolve()
  #client: Redis
  #subscriber: Redis | null = null
  #closed = false
  /** Of the last time that it was to stand still. */
  standstill = new Standstill('Redis')

  constructor(
    readonly machine: ServerMachine,
    /** Why it does not let that happen; null where it does. */
    readonly refuses: (power: Power) => string | null,
    /** Keys that are this run's; `*` on a server of our own. */
    private readonly keyPattern: string,
    private readonly expired: (key: string) => void,
  ) {
    this.#client = this.#connect()
  }

  /** False where it is degraded in that way already. */
  enter(degradation: ServerDegradation): boolean {
    if (this.#degradations.has(degradation)) return false
    this.#degradations.add(degradation)
    return true
  }

  leave(degradation: ServerDegradation): void {
    this.#degradations.delete(degradation)
  }

  /**
   * What is done to the server is done one after the other: what takes its commands away (it is
   * dead, frozen, busy) keeps its turn until it has healed. Resolves when it is one's turn, to what
   * ends it.
   */
  turn(): Promise<() => void> {
    return this.#turns.next()
  }

  call(command: string, ...args: string[]): Promise<unknown> {
    return this.#client.call(command, ...args)
  }

  /**
   * Keeps it busy with a script that never ends, until `release`. False where it takes no
   * connection for that.
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

  /** Reports expired keys as Redis does: when it deletes them. */
  async recordExpired(): Promise<void> {
    if (this.refuses('configure') !== null) return
    await this.set('notify-keyspace-events', 'Ex')
    this.#subscriber = this.#connect()
    this.#subscriber.on('message', (_channel, key) => this.expired(key))
    await this.#subscriber.subscribe(`__keyevent@${this.machine.access.db ?? 0}__:expired`)
  }

  /**
   * When the last of these keys expires by the server's own clock: negative where none is there
   * that will.
   */
  async expireInMs(keys: readonly string[]): Promise<number> {
    return Math.max(...(await Promise.all(keys.map(async (key) => Number(await this.call('PTTL', key))))))
  }

  async stop(): Promise<void> {
    this.up = false
    this.#disconnect()
    await this.machine.kill()
  }

  /** Not where it is closed meanwhile: nothing of a run is started after its end. */
  async startEmpty(): Promise<void> {
    if (this.#closed) return
    await this.machine.start()
    if (this.#closed) return
    this.#client = this.#connect()
    await this.recordExpired()
    // What degrades it from outside goes on.
    for (const degradation of this.#degradations) if (isSetting(degradation)) await this.impose(degradation)
    this.up = true
  }

  /** By its settings, which it forgets when it dies. */
  async impose(degradation: SettingDegradation): Promise<void> {
    if (degradation === 'out of memory') await this.set('maxmemory', '1')
    if (degradation === 'evicts') await this.set('maxmemory-policy', 'allkeys-random')
    // No client more than there are now.
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

  /** A figure of INFO, by its section and name; 0 where it is not there. */
  async figure(section: string, name: string): Promise<number> {
    const info = String(await this.call('INFO', section))
    return Number(new RegExp(`${name}:(\\d+)`).exec(info)?.[1] ?? '0')
  }

  /** It answers no PING until it may go on. */
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
    // Commands tell their own failures.
    client.on('error', () => {})
    return client
  }

  #disconnect(): void {
    this.#client.disconnect()
    this.#subscriber?.disconnect()
    this.#subscriber = null
  }
}
