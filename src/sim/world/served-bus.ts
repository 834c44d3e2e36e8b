import type { ClientSide, ServerEnd } from '../network/client-side.ts'
import type { BusPeer, InboundLink } from '../redis/cluster/bus-link.ts'
import type { Cluster } from '../redis/cluster/cluster.ts'
import type { RedisNode } from './redis-node.ts'

/** A connection that another node of a Cluster dialled: the network to the node, and the node to the network. */
export class ServedBus implements ServerEnd, BusPeer {
  readonly #link: InboundLink

  constructor(
    private readonly node: RedisNode,
    cluster: Cluster,
    readonly connection: ClientSide,
  ) {
    this.#link = cluster.accept(this)
  }

  write(bytes: string): void {
    this.connection.reply(bytes, null)
  }

  received(bytes: string): void {
    this.node.inTurn(() => this.#link.receive(bytes))
  }

  closed(): void {
    this.node.busLeft(this)
    this.node.inTurn(() => this.#link.close())
  }
}
