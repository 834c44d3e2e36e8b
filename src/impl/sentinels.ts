/**
 * Asks every Sentinel for the number of replicas. Their views differ, and any of them may lead the
 * next failover.
 */
import { bySentinel, type KnownReplicas, mustAcknowledge } from './known-replicas.ts'
import type { SentinelClient } from './server-client.ts'

export class Sentinels {
  readonly #all: readonly Sentinel[]

  /**
   * `name`: the primary's name at the Sentinels. `dials`: functions that connect to each of them,
   * with time limits for connecting and for each question.
   */
  constructor(name: string, dials: readonly (() => SentinelClient)[]) {
    this.#all = dials.map((dial) => new Sentinel(name, dial))
  }

  /**
   * The largest count of all answers; rejects if there are none. Every call asks all of them
   * again.
   */
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

/** One Sentinel, with a connection that is kept between questions. */
class Sentinel {
  #client: SentinelClient | null = null
  #closed = false

  constructor(
    private readonly name: string,
    private readonly dial: () => SentinelClient,
  ) {}

  /**
   * Repeats a question that failed on a kept connection once, on a new one: the connection may have
   * outlived its process, and the only Sentinel that does not answer may be the one that knows most
   * replicas.
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
    const { name } = this
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

  #open(): SentinelClient {
    const client = this.dial()
    client.on('error', () => {}) // the failed command reports it
    client.on('end', () => this.#forget(client))
    return client
  }

  #forget(client: SentinelClient): void {
    if (this.#client === client) this.#client = null
    client.disconnect()
  }
}
