/**
 * Several servers that keep to a schedule. They fail over when they are asked to, and do then what
 * they always do.
 */
import { Redis } from 'ioredis'
import type { RedisPlan } from '../../contract/api/plan.ts'
import type { HeldMachine } from './held-machine.ts'
import { LinkedDeployment } from './linked-deployment.ts'

/** Longer than any run. */
export const neverMs = 10_000_000

export interface HeldWish {
  readonly redis: RedisPlan
  /** The server that is to be promoted first; null where none is. */
  readonly first: string | null
}

export abstract class HeldDeployment extends LinkedDeployment {
  readonly #subscribers: Redis[] = []

  /**
   * From now on replicas get more, and are ordered about, as the schedule says. @throws LiveProblem
   */
  abstract hold(): Promise<void>

  /** Of a shard: the server that was promoted last, or led at first. */
  abstract leaderOf(server: HeldMachine): HeldMachine

  abstract promoted(server: HeldMachine): void

  /** Servers of the same data as that one. */
  abstract shardOf(server: HeldMachine): readonly HeldMachine[]

  /** Tells of each key that a server finds expired. */
  async recordExpired(report: (node: string, key: string) => void): Promise<void> {
    for (const { name, machine } of this.nodes) {
      const { host, port } = machine
      const client = new Redis({ host, port, autoResubscribe: false, retryStrategy: () => 50 })
      client.on('error', () => {})
      client.on('message', (_channel, key) => report(name, key))
      this.#subscribers.push(client)
      const subscribe = () => client.subscribe('__keyevent@0__:expired')
      await subscribe()
      // It may be closed meanwhile.
      client.on('ready', () => subscribe().catch(() => {}))
    }
  }

  async primary(): Promise<HeldMachine> {
    return this.leaderOf(this.nodes[0]!)
  }

  override async close(): Promise<void> {
    for (const client of this.#subscribers) client.disconnect()
    await super.close()
  }
}
