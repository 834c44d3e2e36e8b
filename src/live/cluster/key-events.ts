/**
 * Listens to the keyspace notifications of servers
 * (https://redis.io/docs/latest/develop/use/keyspace-notifications/).
 */
import { Redis } from 'ioredis'
import type { HeldMachine } from '../held/held-machine.ts'

const channel = '__keyevent@0__:'

export class KeyEvents {
  readonly #clients: Redis[] = []

  /** Subscribes to the notifications of all nodes. Resolves when all subscriptions are in place. */
  async open(
    nodes: readonly HeldMachine[],
    report: (node: HeldMachine, event: string, key: string) => void,
  ): Promise<void> {
    for (const node of nodes) {
      const { host, port } = node.machine
      const client = new Redis({ host, port, autoResubscribe: false, retryStrategy: () => 50 })
      client.on('error', () => {})
      client.on('pmessage', (_pattern, from: string, key: string) => report(node, from.slice(channel.length), key))
      this.#clients.push(client)
      const subscribe = () => client.psubscribe(`${channel}*`)
      await subscribe()
      // A failed subscription is ignored, because the client may have been closed meanwhile.
      client.on('ready', () => subscribe().catch(() => {}))
    }
  }

  close(): void {
    for (const client of this.#clients) client.disconnect()
  }
}
