/**
 * The layer's own connection to Redis. Every script may be asked again with the same arguments, so
 * a call is repeated until Redis answers or the caller's timeout ends; the transport itself never
 * repeats or queues anything.
 */
import type { Cluster } from 'ioredis'
import { asError } from './as-error.ts'
import type { KnownReplicas } from './known-replicas.ts'
import type { Settings } from './options.ts'
import { pause, within } from './pause.ts'
import { allPrimaries } from './primaries.ts'
import { type Primary, primaryOf } from './primary.ts'
import { primaryEpochOf, sameEpoch } from './primary-epoch.ts'
import { isCluster, openClient, openSentinels, type RedisAt, type Shape, shapeOf } from './redis-at.ts'
import type { Script } from './scripts.ts'
import type { Sentinels } from './sentinels.ts'
import type { ServerClient } from './server-client.ts'

/** What a script answered: a word, and what belongs to it. */
export type Reply = readonly [status: string, ...rest: (string | number)[]]

export type CallResult =
  /** `sentAtMs`: when the command that was answered was sent, on this process's monotonic clock. */
  | { readonly answered: true; readonly reply: Reply; readonly sentAtMs: number }
  /** No answer. The script may have been executed, or may yet be. */
  | { readonly answered: false; readonly error: Error }

/** Keys that a primary looks at for one page: a fraction of a millisecond of its time. */
const scannedAtOnce = 512

/** How long commands, callers and facts may take. */
export type Timeouts = Pick<Settings, 'commandMs' | 'callTimeoutMs' | 'ttlMs'>

export class Connection {
  readonly #client: ServerClient | Cluster
  readonly #settings: Timeouts
  readonly #waiting = new Set<() => void>()
  #lastError = new Error('Redis is not connected')
  #sentinels: Sentinels | null = null
  #closed = false

  constructor(redis: RedisAt, settings: Timeouts) {
    this.#settings = settings
    this.#client = openClient(redis, ownOptions(settings))
    // Without a listener ioredis prints errors of the connection; here they become the reason of a
    // call that failed.
    this.#client.on('error', (error: Error) => {
      this.#lastError = error
    })
    this.#client.on('ready', () => this.#wake())
    this.#client.on('end', () => this.#wake())
  }

  /** One try, for callers that will soon ask again anyway. */
  async once(script: Script, keys: readonly string[], args: readonly (string | number)[]): Promise<CallResult> {
    const sentAtMs = performance.now()
    try {
      return { answered: true, reply: await this.#evaluate(script, keys, args), sentAtMs }
    } catch (error) {
      return { answered: false, error: asError(error) }
    }
  }

  /** Repeats until Redis answers, `forMs` have passed, or the layer is closed. */
  async call(
    script: Script,
    keys: readonly string[],
    args: readonly (string | number)[],
    forMs = this.#settings.callTimeoutMs,
  ): Promise<CallResult> {
    const until = performance.now() + forMs
    for (let backoffMs = 50; ; backoffMs = Math.min(2 * backoffMs, 1000)) {
      if (!(await this.#ready(until))) return { answered: false, error: this.#lastError }
      const result = await this.once(script, keys, args)
      if (result.answered) return result
      this.#lastError = result.error
      if (performance.now() + backoffMs >= until) return result
      await pause(backoffMs)
    }
  }

  /**
   * Repeats for as long as the record matters, but lets the caller wait no longer than its timeout:
   * what is to be written does not depend on who is still listening.
   */
  persist(script: Script, keys: readonly string[], args: readonly (string | number)[]): Promise<CallResult> {
    const late: CallResult = { answered: false, error: this.#lastError }
    return within(this.#settings.callTimeoutMs, this.call(script, keys, args, this.#settings.ttlMs), late)
  }

  /**
   * The names of keys, in pages, of all primaries: a key that is there all along is among them,
   * perhaps twice. Throws where a primary does not answer, or another takes its place meanwhile;
   * `ClusterIncomplete` where slots have none.
   */
  async *scan(match: string): AsyncGenerator<string[], void> {
    if (!(await this.#ready(performance.now() + this.#settings.callTimeoutMs))) throw this.#lastError
    const { keyPrefix = '' } = this.#client.options
    const pattern = keyPrefix.replace(/[[\]*?\\]/g, '\\$&') + match
    for (const node of await allPrimaries(this.#client)) {
      const before = primaryEpochOf(await node.info('replication'))
      let cursor = '0'
      do {
        const [next, names] = await node.scan(cursor, 'MATCH', pattern, 'COUNT', scannedAtOnce)
        sameEpoch(before, primaryEpochOf(await node.info('replication')), 'its keys were listed: list them again')
        yield names.map((name) => name.slice(keyPrefix.length))
        cursor = next
      } while (cursor !== '0')
    }
  }

  /**
   * A field of each of these hashes; null where there is none. Throws where Redis does not answer.
   */
  field(name: string, keys: readonly string[]): Promise<(string | null)[]> {
    return Promise.all(keys.map((key) => this.#client.hget(key, name)))
  }

  get shape(): Shape {
    return shapeOf(this.#client)
  }

  primaryOf(redisKey: string): Primary | undefined {
    return primaryOf(this.#client, redisKey)
  }

  /** For a client that finds its primary through Sentinels. */
  async askSentinels(): Promise<KnownReplicas> {
    if (isCluster(this.#client)) throw new Error('a Cluster has no Sentinels')
    this.#sentinels ??= openSentinels(this.#client, this.#settings.commandMs)
    return this.#sentinels.replicas()
  }

  /**
   * The primary may have been deposed: who it is by now is asked again. What is under way gets no
   * answer.
   */
  seekPrimary(): void {
    if (this.#client.status !== 'ready') return
    if (isCluster(this.#client)) this.#client.refreshSlotsCache()
    else this.#client.disconnect(true)
  }

  close(): void {
    this.#closed = true
    this.#client.disconnect()
    this.#sentinels?.close()
    this.#wake()
  }

  async #evaluate(script: Script, keys: readonly string[], args: readonly (string | number)[]): Promise<Reply> {
    try {
      return (await this.#client.evalsha(script.sha, keys.length, ...keys, ...args)) as Reply
    } catch (error) {
      if (!asError(error).message.startsWith('NOSCRIPT')) throw error
      return (await this.#client.eval(script.lua, keys.length, ...keys, ...args)) as Reply
    }
  }

  /** True once commands can be sent; false when `until` has passed or the layer was closed. */
  async #ready(until: number): Promise<boolean> {
    while (!this.#closed && this.#client.status !== 'ready') {
      const left = until - performance.now()
      if (left <= 0) return false
      let wake = () => {}
      const woken = new Promise<void>((resolve) => this.#waiting.add((wake = resolve)))
      // In slices: a Node timer holds no more than 2^31 ms, and a retention may be longer.
      await within(Math.min(left, 60_000), woken, undefined)
      this.#waiting.delete(wake)
    }
    return !this.#closed
  }

  #wake(): void {
    for (const wake of this.#waiting) wake()
  }
}

/**
 * A command that got no answer is an error here and now; a connection on which one is overdue is
 * dropped.
 */
function ownOptions({ commandMs }: Timeouts) {
  return {
    lazyConnect: false,
    replyMapping: 'legacy' as const,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    connectTimeout: Math.max(commandMs, 1000),
    commandTimeout: commandMs,
    socketTimeout: commandMs,
    retryStrategy: backoffMs,
    sentinelRetryStrategy: backoffMs,
    sentinelCommandTimeout: commandMs,
    // A primary that was demoted, on a connection that outlived it.
    reconnectOnError: ({ message }: Error) => message.startsWith('READONLY'),
  }
}

const backoffMs = (times: number) => Math.min(25 * 2 ** times, 1000) + Math.floor(Math.random() * 25)
