import type { Connection, ServerEnd } from '../network/connection.ts'
import type { Peer, RedisConnection } from '../redis/connection.ts'
import type { RedisNode } from './redis-node.ts'

/** Both ends of one connection where they meet: what the network is to the server, and the server to the network. */
export class ServedClient implements Peer, ServerEnd {
  readonly address: string
  readonly #client: RedisConnection

  constructor(
    private readonly node: RedisNode,
    readonly connection: Connection,
  ) {
    this.address = `${connection.local.address}:${connection.local.port}`
    this.#client = node.server.connect(this)
  }

  get id(): number {
    return this.#client.id
  }

  // The network, as the server sees it.

  write(bytes: string): void {
    this.connection.reply(bytes, this.node.answering)
  }

  close(): void {
    this.connection.serverClose()
  }

  // The server, as the network sees it.

  received(bytes: string): void {
    if (this.node.stalled(() => this.#execute(bytes))) return
    this.#execute(bytes)
  }

  #execute(bytes: string): void {
    this.#client.receive(bytes)
    this.node.answering = null
  }

  closed(): void {
    this.node.forget(this.id)
    this.#client.close()
  }
}
