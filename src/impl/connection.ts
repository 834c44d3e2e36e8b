/**
 * The layer's own connection to Redis. Every script may be sent again with the same arguments, so a
 * call is repeated until Redis answers or the caller's timeout ends. The transport itself never
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

/** The reply of a script: a word, and its values. */
export type Reply = readonly [status: string, ...rest: (string | number)[]]

export type CallResult =
  /** `sentAtMs`: when the answered command was sent, on this process's monotonic clock. */
  | { readonly answered: true; readonly reply: Reply; readonly sentAtMs: number }
  /** No answer. The script may have been executed, or may be executed later. */
  | { readonly answered: false; readonly error: Error }

/** The COUNT of a SCAN. One page takes a primary a fraction of a millisecond. */
const scannedAtOnce = 512

/** Time limits of a command, of a call, and of repeating a write that must be persisted. */
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
    // Without a listener, ioredis prints connection errors. Here they become the reason of a failed
    // call.
    this.#client.on('error', (error: Error) => {
      this.#lastError = error
    })
    this.#client.on('ready', () => this.#wake())
    this.#client.on('end', () => this.#wake())
  }

  /** Sends the script once. For callers that will soon call again anyway. */
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
   * Repeats for as long as the record matters, because it must be written even if the caller has
   * stopped waiting. The caller waits no longer than `callTimeoutMs`.
   */
  persist(script: Script, keys: readonly string[], args: readonly (string | number)[]): Promise<CallResult> {
    const late: CallResult = { answered: false, error: this.#lastError }
    return within(this.#settings.callTimeoutMs, this.call(script, keys, args, this.#settings.ttlMs), late)
  }

  /**
   * Returns the key names of all primaries, in pages. A key that exists during the whole scan is
   * listed, perhaps twice. Throws if a primary does not answer or is replaced during the scan;
   * throws `ClusterIncomplete` if slots have no primary.
   */
  async *scan(match: string): AsyncGenerator<string[], void> {
    const { keyPrefix = '' } = this.#client.options
    const pattern = literalGlob(keyPrefix) + match
    for (const node of await this.primaries()) {
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
   * All primaries. Throws if Redis does not answer. Throws `ClusterIncomplete` if slots have no
   * primary.
   */
  async primaries(): Promise<readonly ServerClient[]> {
    if (!(await this.#ready(performance.now() + this.#settings.callTimeoutMs))) throw this.#lastError
    return allPrimaries(this.#client)
  }

  /**
   * A field of each of these hashes; null if missing. Throws if Redis does not answer.
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

  /** Only for a client that finds its primary through Sentinels. */
  async askSentinels(): Promise<KnownReplicas> {
    if (isCluster(this.#client)) throw new Error('a Cluster has no Sentinels')
    this.#sentinels ??= openSentinels(this.#client, this.#settings.commandMs)
    return this.#sentinels.replicas()
  }

  /**
   * Looks for the current primary, because the known one may have been deposed. Commands in flight
   * get no answer.
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
      // In slices: a Node timer holds at most 2^31 ms, and a retention may be longer.
      await within(Math.min(left, 60_000), woken, undefined)
      this.#waiting.delete(wake)
    }
    return !this.#closed
  }

  #wake(): void {
    for (const wake of this.#waiting) wake()
  }
}

/** A pattern of SCAN that matches only this text. */
export function literalGlob(text: string): string {
  return text.replace(/[[\]*?\\]/g, '\\$&')
}

/**
 * A command is never sent again: it fails when its connection is lost, or after `commandMs`. A
 * connection with an overdue answer is dropped.
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
    // A demoted primary replies READONLY on a connection that outlived the demotion.
    reconnectOnError: ({ message }: Error) => message.startsWith('READONLY'),
  }
}

const backoffMs = (times: number) => Math.min(25 * 2 ** times, 1000) + Math.floor(Math.random() * 25)
