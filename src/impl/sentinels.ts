/** Asks every Sentinel how many replicas there are. Their views differ, and any of them may lead the next failover. */
import { Redis, type RedisOptions } from 'ioredis'
import { bySentinel, type KnownReplicas, mustAcknowledge } from './known-replicas.ts'

export class Sentinels {
  readonly #all: readonly Sentinel[]

  /** `withinMs`: how long connecting and each question may take. */
  constructor(options: RedisOptions, withinMs: number) {
    this.#all = (options.sentinels ?? []).map((at) => new Sentinel(at, options, withinMs))
  }

  /** The largest count of all that answer; rejects where none does. Every call asks each of them again. */
  async replicas(): Promise<KnownReplicas> {
    const answers = await Promise.allSettled(this.#all.map((sentinel) => sentinel.replicas()))
    const known = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []))
    const largest = known.sort((a, b) => mustAcknowledge(b) - mustAcknowledge(a))[0]
    if (largest === undefined) throw new Error('no Sentinel says how many replicas there are')
    return largest
  }

  close(): void {
    for (const sentinel of this.#all) sentinel.close()
  }
}

type Address = NonNullable<RedisOptions['sentinels']>[number]

/** One Sentinel, and a connection to it that is kept from question to question. */
class Sentinel {
  readonly #at: Partial<Address>
  readonly #options: RedisOptions
  readonly #withinMs: number
  #client: Redis | null = null
  #closed = false

  constructor(at: Partial<Address>, options: RedisOptions, withinMs: number) {
    this.#at = at
    this.#options = options
    this.#withinMs = withinMs
  }

  /**
   * What fails over a connection that was kept is asked once more over a new one: the connection may have outlived the
   * process it led to, and the one Sentinel that does not answer may be the one that knows most.
   */
  async replicas(): Promise<KnownReplicas> {
    const isKept = this.#client !== null
    try {
      return await this.#ask()
    } catch (error) {
      if (!isKept || this.#closed) throw error
      return this.#ask()
    }
  }

  close(): void {
    this.#closed = true
    this.#client?.disconnect()
  }

  async #ask(): Promise<KnownReplicas> {
    if (this.#closed) throw new Error('the layer is closed')
    const { name = '' } = this.#options
    this.#client ??= this.#open()
    const client = this.#client
    try {
      const [master, replicas] = await Promise.all([
        client.call('SENTINEL', 'MASTER', name),
        client.call('SENTINEL', 'REPLICAS', name),
      ])
      return bySentinel(name, master as string[], replicas as string[][])
    } catch (error) {
      this.#forget(client)
      throw error
    }
  }

  #open(): Redis {
    const { sentinelUsername, sentinelPassword, sentinelTLS, family } = this.#options
    const client = new Redis({
      host: this.#at.host ?? 'localhost',
      port: this.#at.port ?? 26379,
      ...(sentinelUsername === undefined ? {} : { username: sentinelUsername }),
      ...(sentinelPassword === undefined ? {} : { password: sentinelPassword }),
      ...(sentinelTLS === undefined ? {} : { tls: sentinelTLS }),
      ...(family === undefined ? {} : { family }),
      enableReadyCheck: false,
      retryStrategy: () => null,
      connectTimeout: this.#withinMs,
      commandTimeout: this.#withinMs,
    })
    client.on('error', () => {}) // it becomes the reason of the command that fails
    client.on('end', () => this.#forget(client))
    return client
  }

  #forget(client: Redis): void {
    if (this.#client === client) this.#client = null
    client.disconnect()
  }
}
