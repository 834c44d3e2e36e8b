/**
 * node-redis 4 to 6 as the layer's client. Each connection is a separate client, which dials once,
 * does not queue commands while offline, and does not repeat commands that lost their reply.
 * This file redials, and times out commands, because node-redis only has a timeout for unsent
 * commands.
 */
import { EventEmitter } from 'node:events'
import { asError } from './as-error.ts'
import { within } from './pause.ts'
import { primaryEpochOf } from './primary-epoch.ts'
import type { ConnectionOptions, SentinelClient, ServerClient } from './server-client.ts'

/**
 * A client made by `createClient` of node-redis 4 to 6. It is duplicated, not used directly.
 * @example
 * ```ts no-run
 * import { createOnce } from 'onceproof/once'
 * import { createClient } from 'redis'
 *
 * const once = createOnce({
 *   redis: createClient({ url: 'redis://localhost' }),
 *   replicas: 0,
 *   leaseMs: 5000,
 *   retentionMs: 60_000,
 * })
 * ```
 */
export interface NodeRedis {
  readonly isReady: boolean
  duplicate(...overrides: never[]): unknown
  sendCommand(...args: never[]): Promise<unknown>
}

interface Address {
  readonly host: string
  readonly port: number
}

/**
 * A primary that Sentinels watch, over connections of node-redis.
 * @example
 * ```ts
 * import type { NodeRedisSentinelAt } from 'onceproof/once'
 * import { createClient } from 'redis'
 *
 * const redis: NodeRedisSentinelAt = {
 *   sentinels: [{ host: 'sentinel-1', port: 26379 }],
 *   name: 'payments',
 *   client: createClient({ password: 'secret' }),
 * }
 * ```
 */
export interface NodeRedisSentinelAt {
  readonly sentinels: readonly Address[]
  readonly name: string
  /** The template for clients of servers; its own address is ignored. */
  readonly client: NodeRedis
  /**
   * The template for clients of Sentinels. Default: `client`, without its user, password and
   * database.
   */
  readonly sentinelClient?: NodeRedis
}

/** The members of a node-redis client that all versions share; `destroy` exists since version 5. */
interface Dialled {
  readonly options?: { readonly socket?: object; readonly keyPrefix?: string }
  duplicate(overrides: object): Dialled
  connect(): Promise<unknown>
  sendCommand(args: readonly string[]): Promise<unknown>
  on(event: 'error', listener: (error: Error) => void): unknown
  once(event: 'connect' | 'end', listener: () => void): unknown
  destroy?(): void
  disconnect(): Promise<unknown>
}

interface Place {
  /** The address to dial; null for the address of the duplicated client. */
  find(): Promise<Address | null>
  readonly at?: NodeRedisSentinelAt
}

type Usual = Required<Omit<ConnectionOptions, 'lazyConnect'>>

export class NodeRedisClient extends EventEmitter implements ServerClient, SentinelClient {
  readonly isCluster = false
  status: 'wait' | 'connecting' | 'ready' | 'end' = 'wait'
  readonly #own: ConnectionOptions & Usual
  #dialled: Dialled | null = null
  #connected: Promise<void> | null = null
  /**
   * Failed dials and lost connections since a command was last answered without an
   * error.
   */
  #failures = 0

  readonly options: { readonly keyPrefix: string; readonly sentinels: readonly Address[] | null }

  private constructor(
    private readonly like: NodeRedis,
    private readonly place: Place,
    own: ConnectionOptions,
  ) {
    super()
    this.options = { keyPrefix: prefixOf(like), sentinels: place.at?.sentinels ?? null }
    this.on('error', () => {}) // it would throw without a listener; failed calls report it
    this.#own = { connectTimeout: 5000, commandTimeout: 5000, retryStrategy: () => null, ...own }
    if (this.#own.lazyConnect !== true) this.connect().catch(() => {}) // also an event
  }

  static at(like: NodeRedis, own: ConnectionOptions): NodeRedisClient {
    return new NodeRedisClient(like, { find: async () => null }, own)
  }

  /**
   * Dials the server that Sentinels name; drops the connection if the server is not a primary.
   */
  static behindSentinels(at: NodeRedisSentinelAt, own: ConnectionOptions): NodeRedisClient {
    const asked = { ...own, retryStrategy: () => null }
    const find = async () => {
      for (const one of at.sentinels) {
        const sentinel = NodeRedisClient.sentinel(at, one, asked)
        try {
          const found = await sentinel.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', at.name)
          if (found !== null) return addressOf(found)
        } catch {
          // The next one may answer.
        } finally {
          sentinel.disconnect()
        }
      }
      throw new Error(`no Sentinel says where ${at.name} is`)
    }
    return new NodeRedisClient(at.client, { find, at }, own)
  }

  static sentinel(
    { client, sentinelClient }: NodeRedisSentinelAt,
    at: Address,
    own: ConnectionOptions,
  ): NodeRedisClient {
    const like = sentinelClient ?? ((client as unknown as Dialled).duplicate(ofNobody) as unknown as NodeRedis)
    return new NodeRedisClient(like, { find: async () => at }, own)
  }

  duplicate(own: ConnectionOptions): NodeRedisClient {
    return new NodeRedisClient(this.like, this.place, { ...this.#own, ...own })
  }

  get nameAtSentinels(): string {
    return this.place.at?.name ?? ''
  }

  /** Functions that dial the Sentinels which watch the primary. */
  sentinels(own: ConnectionOptions): readonly (() => SentinelClient)[] {
    const { at } = this.place
    return (at?.sentinels ?? []).map((one) => () => NodeRedisClient.sentinel(at!, one, own))
  }

  connect(): Promise<void> {
    this.#connected ??= this.#dial()
    return this.#connected
  }

  disconnect(reconnect = false): void {
    if (reconnect) this.#lost(this.#dialled, new Error('the connection is made again'))
    else this.#end()
  }

  // Commands.

  async call(...words: string[]): Promise<unknown> {
    await this.connect()
    return this.#send(words)
  }

  evalsha(...[sha, keyCount, ...rest]: Parameters<ServerClient['evalsha']>): Promise<unknown> {
    return this.#send(['EVALSHA', sha, keyCount, ...this.#prefixed(rest, keyCount)])
  }

  eval(...[lua, keyCount, ...rest]: Parameters<ServerClient['eval']>): Promise<unknown> {
    return this.#send(['EVAL', lua, keyCount, ...this.#prefixed(rest, keyCount)])
  }

  hget(key: string, field: string): Promise<string | null> {
    return this.#send(['HGET', this.options.keyPrefix + key, field]) as Promise<string | null>
  }

  info(section: string): Promise<string> {
    return this.#send(['INFO', section]) as Promise<string>
  }

  wait(replicas: number, ms: number): Promise<number> {
    return this.#send(['WAIT', replicas, ms]) as Promise<number>
  }

  cluster(subcommand: 'NODES'): Promise<unknown> {
    return this.#send(['CLUSTER', subcommand])
  }

  scan(...words: Parameters<ServerClient['scan']>): Promise<[string, string[]]> {
    return this.#send(['SCAN', ...words]) as Promise<[string, string[]]>
  }

  #prefixed(keysAndArgs: readonly (string | number)[], keyCount: number): (string | number)[] {
    return keysAndArgs.map((one, at) => (at < keyCount ? this.options.keyPrefix + one : one))
  }

  #send(words: readonly (string | number)[]): Promise<unknown> {
    const dialled = this.#dialled
    if (this.status !== 'ready' || dialled === null) return Promise.reject(new Error('Redis is not connected'))
    return this.#ask(dialled, words).then((answer) => {
      this.#failures = 0
      return answer
    })
  }

  /**
   * Gives up a connection with an overdue answer, and one to a demoted
   * primary.
   */
  async #ask(dialled: Dialled, words: readonly (string | number)[]): Promise<unknown> {
    try {
      const answer = dialled.sendCommand(words.map(String))
      return await inTime(answer, this.#own.commandTimeout, 'Command timed out')
    } catch (error) {
      const { message } = asError(error)
      if (error instanceof Overdue || message.startsWith('READONLY')) this.#lost(dialled, asError(error))
      throw error
    }
  }

  // The connection.

  async #dial(): Promise<void> {
    while (this.#goesOn()) {
      this.status = 'connecting'
      try {
        await this.#dialOnce()
        this.status = 'ready'
        this.emit('ready')
        return
      } catch (error) {
        await this.#failed(asError(error))
      }
    }
    throw new Error('the connection was closed')
  }

  /**
   * Ends the client, or waits until the next dial. @throws the error if there is no next dial
   */
  async #failed(error: Error): Promise<void> {
    this.emit('error', error)
    const waitMs = this.#own.retryStrategy(++this.#failures)
    if (waitMs === null) this.#end()
    if (!this.#goesOn()) throw error
    await this.#pause(waitMs!)
  }

  /** Returns early if the client is closed: a timer would keep its process alive. */
  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const over = (): void => {
        clearTimeout(timer)
        this.off('end', over)
        resolve()
      }
      const timer = setTimeout(over, ms)
      this.once('end', over)
    })
  }

  #goesOn(): boolean {
    return this.status !== 'end'
  }

  async #dialOnce(): Promise<void> {
    const { connectTimeout } = this.#own
    const address = await this.place.find()
    if (!this.#goesOn()) throw new Error('the connection was closed')
    const like = this.like as unknown as Dialled
    const socket = { ...socketOf(like, address), ...dialledOnceAt, connectTimeout }
    const dialled = like.duplicate({ ...dialledOnce, socket })
    this.#dialled = dialled
    dialled.on('error', (error) => this.#lost(dialled, error))
    dialled.once('end', () => this.#lost(dialled, new Error('the connection was closed')))
    try {
      await inTime(connected(dialled), connectTimeout, 'no connection in time')
      if (
        this.options.sentinels !== null &&
        !primaryEpochOf(String(await this.#ask(dialled, ['INFO', 'replication']))).primary
      )
        throw new Error('the node that the Sentinels announce is not a primary')
      if (this.#dialled !== dialled) throw new Error('the connection was lost')
    } catch (error) {
      this.#drop(dialled)
      throw error
    }
  }

  /** Drops the connection and redials. If it is still being dialled, the dial loop continues. */
  #lost(dialled: Dialled | null, error: Error): void {
    if (dialled === null || this.#dialled !== dialled) return
    this.#drop(dialled)
    if (this.status !== 'ready') return
    this.status = 'connecting'
    this.#connected = this.#failed(error).then(() => this.#dial())
    this.#connected.catch(() => {})
  }

  #drop(dialled: Dialled): void {
    if (this.#dialled === dialled) this.#dialled = null
    hangUp(dialled)
  }

  #end(): void {
    if (this.status === 'end') return
    this.status = 'end'
    if (this.#dialled !== null) this.#drop(this.#dialled)
    this.emit('end')
  }
}

/** Address and options of the socket; `path` is a Unix socket. */
function socketOf(like: Dialled, address: Address | null): object {
  const { path, ...socket } = (like.options?.socket ?? {}) as { path?: string }
  if (address !== null) return { ...socket, ...address }
  return path === undefined ? socket : { ...socket, path }
}

const prefixOf = (client: NodeRedis): string => (client as unknown as Dialled).options?.keyPrefix ?? ''

/**
 * Overrides the application's settings. `socket` already has the address of a URL; maintenance
 * notifications would move a connection.
 */
const dialledOnce = {
  url: undefined,
  RESP: 2,
  disableOfflineQueue: true,
  legacyMode: false,
  maintNotifications: 'disabled',
  pingInterval: undefined,
  clientSideCache: undefined,
  commandsQueueMaxLength: undefined,
  commandOptions: { timeout: undefined },
} as const

/** Keeps an idle connection open. Redialling is done in this file. */
const dialledOnceAt = { socketTimeout: undefined, reconnectStrategy: false } as const

/** Sentinels have different users, and no databases. */
const ofNobody = {
  url: undefined,
  username: undefined,
  password: undefined,
  credentialsProvider: undefined,
  database: undefined,
} as const

function addressOf(found: unknown): Address {
  const [host, port] = found as readonly [string, string]
  return { host, port: Number(port) }
}

/** Clients whose socket has connected. */
const reached = new WeakSet<Dialled>()

async function connected(dialled: Dialled): Promise<void> {
  dialled.once('connect', () => reached.add(dialled))
  await dialled.connect()
}

/**
 * Not all versions can close a client that has no socket yet, so it is closed once it has one. If
 * connecting fails, nothing is open.
 */
function hangUp(dialled: Dialled): void {
  if (!reached.has(dialled)) return void dialled.once('connect', () => close(dialled))
  close(dialled)
}

function close(dialled: Dialled): void {
  try {
    if (dialled.destroy === undefined) dialled.disconnect().catch(() => {})
    else dialled.destroy()
  } catch {
    // The client is already closed.
  }
}

class Overdue extends Error {}

async function inTime<T>(answer: Promise<T>, ms: number, text: string): Promise<T> {
  const late = Symbol('late')
  const found = await within<T | typeof late>(ms, answer, late)
  if (found !== late) return found as T
  answer.catch(() => {}) // the command was given up
  throw new Overdue(text)
}
