import type { BusPeer, Cluster, InboundLink, Message } from 'redis-sim/cluster'
import type { ClientSide, ServerEnd } from 'virtual-node/network'
import type { RedisNode } from './redis-node.ts'

/**
 * Connects a Cluster node to the simulated network, for one connection that another node dialled.
 */
export class ServedBus implements ServerEnd, BusPeer {
  readonly #link: InboundLink

  constructor(
    private readonly node: RedisNode,
    cluster: Cluster,
    readonly connection: ClientSide,
  ) {
    this.#link = cluster.accept(this)
  }

  send(message: Message): void {
    this.connection.report!(message)
  }

  repeat(message: Message): boolean {
    return this.connection.repeat!(message)
  }

  received(): void {}

  heard(message: object): void {
    this.node.inTurn(() => this.#link.hear(message as Message))
  }

  far(): InboundLink | null {
    return this.node.stalled ? null : this.#link
  }

  closed(): void {
    this.node.busLeft(this)
    this.node.inTurn(() => this.#link.close())
  }
}
