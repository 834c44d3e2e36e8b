/**
 * The two ends of a connection between nodes. Each node connects to every other node, and answers
 * the nodes that connected to it.
 */
import type { Wire } from '../wires.ts'
import type { Header, Message } from './bus-message.ts'
import type { Cluster } from './cluster.ts'
import type { ClusterNode } from './cluster-node.ts'
import { receive } from './receive.ts'
import { sendPing } from './send.ts'

/** A connection that this node opened. It counts as a link from the first attempt. */
export class BusLink {
  readonly node: ClusterNode
  readonly createdMs: number
  /** Header of the last ping sent on this link. */
  said: Header | null = null
  private readonly wire: Wire

  constructor(
    private readonly cluster: Cluster,
    node: ClusterNode,
  ) {
    this.node = node
    this.createdMs = cluster.nowMs
    const hear = (message: object) => this.turn(() => receive(cluster, this, message as Message))
    this.wire = cluster.wires.dial(node.host, node.port + busPortOffset, {
      opened: () => this.turn(() => this.opened()),
      received: () => {},
      heard: hear,
      repeated: (message) => {
        hear(message)
        return true
      },
      closed: () => this.turn(() => this.free()),
    })
  }

  private turn(work: () => void): void {
    if (this.node.link === this) this.cluster.turn(work)
  }

  /**
   * Sends the first ping. If an older ping is still unanswered, its send time remains the node's
   * `pingSentMs`.
   */
  private opened(): void {
    const { pingSentMs } = this.node
    sendPing(this.cluster, this)
    if (pingSentMs !== 0) this.node.pingSentMs = pingSentMs
  }

  send(message: Message): void {
    this.wire.send!(message)
  }

  /** Delivers a message without the network; false if that is not possible. */
  handOver(message: Message): boolean {
    const far = this.wire.far?.() ?? null
    if (far === null || !('hear' in far)) return false
    far.hear(message)
    return true
  }

  free(): void {
    this.node.link = null
    this.wire.close()
  }
}

/** The bus port is this number above the client port. */
export const busPortOffset = 10_000

/** The node at the other end of an inbound connection, implemented by the owner of the network. */
export interface BusPeer {
  send(message: Message): void
  /** See `WireEnd.repeated`. */
  repeat?(message: Message): boolean
}

/** A connection that another node opened. */
export class InboundLink {
  /** The node that connected; null until its first message. */
  node: ClusterNode | null = null
  readonly createdMs: number
  /** Header of the last pong sent on this link. */
  said: Header | null = null

  constructor(
    private readonly cluster: Cluster,
    private readonly peer: BusPeer,
  ) {
    this.createdMs = cluster.nowMs
  }

  hear(message: Message): void {
    const { cluster } = this
    cluster.turn(() => receive(cluster, this, message))
  }

  send(message: Message): void {
    this.peer.send(message)
  }

  handOver(message: Message): boolean {
    return this.peer.repeat?.(message) ?? false
  }

  /** Called when the other end closed the connection. */
  close(): void {
    if (this.node?.inbound === this) this.node.inbound = null
  }
}
