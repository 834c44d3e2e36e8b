import type { Commands, Peer, RedisConnection, ReplyMessage } from 'redis-sim'
import type { PushReply, Reply } from 'redis-sim/resp'
import type { ClientSide, ServerEnd } from 'virtual-node/network'
import type { Machine } from './machine.ts'
import type { StoreWait } from './store-site.ts'
import { textOf } from './text-of.ts'

/** Connects the Redis server's side of one connection to the simulated network. */
export class ServedClient implements Peer, ServerEnd {
  readonly address: string
  readonly #client: RedisConnection

  constructor(
    private readonly node: Machine,
    readonly connection: ClientSide,
  ) {
    this.address = `${connection.local.address}:${connection.local.port}`
    this.#client = node.server.connect(this)
  }

  get id(): number {
    return this.#client.id
  }

  /** The replies and messages for which the client waits. */
  get waits(): StoreWait[] {
    const { waitsWith, session } = this.#client
    const command = waitsWith && {
      command: waitsWith.args.map(textOf).join(' '),
      ...(waitsWith.timeoutMs > 0 ? { endsByItself: true as const } : {}),
    }
    const { channels, patterns, shards } = session.subscribed ?? { channels: [], patterns: [], shards: [] }
    const subscribed = [...channels, ...patterns, ...shards].map((channel) => ({ channel: textOf(channel) }))
    return [...(command === null ? [] : [command]), ...subscribed]
  }

  // The network, as the server sees it.

  write(bytes: string): void {
    this.connection.reply(bytes, this.node.answering)
  }

  announce(bytes: string): void {
    this.connection.announce(bytes)
  }

  close(): void {
    this.connection.serverClose()
  }

  report(reply: Reply): void {
    this.connection.report!({ reply } satisfies ReplyMessage)
  }

  repeat(reply: PushReply): boolean {
    return this.connection.repeat?.(reply) ?? false
  }

  // The server, as the network sees it.

  far(): RedisConnection | null {
    return this.node.stalled ? null : this.#client
  }

  received(bytes: string): void {
    this.node.inTurn(() => {
      this.#client.feed(bytes)
      this.#goOn()
    })
  }

  heard(content: object): void {
    this.node.inTurn(() => {
      this.#client.take((content as Commands).commands)
      this.#goOn()
    })
  }

  /** One command at a time, because the server may stall after each of them. */
  #goOn(): void {
    while (!this.node.stalled && this.#client.step());
    this.node.answering = null
    if (this.node.stalled) this.node.inTurn(() => this.#goOn())
    // When the client's own commands are executed, the server continues with clients that they
    // unblocked.
    else this.#client.receive('')
  }

  /**
   * Commands that had arrived are executed, even if the server stalls until the client has closed
   * the connection.
   */
  closed(ends: () => void = () => {}): void {
    this.node.inTurn(() => {
      this.#close()
      ends()
    })
  }

  #close(): void {
    this.node.forget(this.id, this.#client.next)
    this.#client.close()
  }
}
