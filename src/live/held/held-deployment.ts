/**
 * Several servers that follow a schedule. They fail over only on request, and then act as usual.
 */
import { Redis } from 'ioredis'
import type { RedisPlan } from '../../contract/api/plan.ts'
import type { HeldMachine } from './held-machine.ts'
import { LinkedDeployment } from './linked-deployment.ts'

/** A time in milliseconds that is longer than any run. */
export const neverMs = 10_000_000

export interface HeldWish {
  readonly redis: RedisPlan
  /** The server to promote first; null if the run promotes no server. */
  readonly first: string | null
}

export abstract class HeldDeployment extends LinkedDeployment {
  readonly #subscribers: Redis[] = []

  /**
   * Makes replicas receive data and orders only as the schedule determines.
   * @throws LiveProblem
   */
  abstract hold(): Promise<void>

  /** The current primary of the server's shard. */
  abstract leaderOf(server: HeldMachine): HeldMachine

  abstract promoted(server: HeldMachine): void

  /** The servers of the same shard as that server. */
  abstract shardOf(server: HeldMachine): readonly HeldMachine[]

  /** Reports each key when a server finds it expired. */
  async recordExpired(report: (node: string, key: string) => void): Promise<void> {
    for (const { name, machine } of this.nodes) {
      const { host, port } = machine
      const client = new Redis({ host, port, autoResubscribe: false, retryStrategy: () => 50 })
      client.on('error', () => {})
      client.on('message', (_channel, key) => report(name, key))
      this.#subscribers.push(client)
      const subscribe = () => client.subscribe('__keyevent@0__:expired')
      await subscribe()
      // A failed subscription is ignored, because the client may have been closed meanwhile.
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
