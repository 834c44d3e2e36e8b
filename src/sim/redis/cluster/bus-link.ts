/** The two ends of a connection between nodes: each node dials every other one, and answers those who dialled it. */
import type { Wire } from '../wires.ts'
import { Lines } from './bus-message.ts'
import type { Cluster } from './cluster.ts'
import type { ClusterNode } from './cluster-node.ts'
import { receive } from './receive.ts'
import { sendPing } from './send.ts'

/** A connection that this node dialled. It counts as a link from the first attempt on. */
export class BusLink {
  readonly node: ClusterNode
  readonly createdMs: number
  private readonly wire: Wire
  private readonly lines = new Lines()

  constructor(
    private readonly cluster: Cluster,
    node: ClusterNode,
  ) {
    this.node = node
    this.createdMs = cluster.nowMs
    this.wire = cluster.wires.dial(node.host, node.port + busPortOffset, {
      opened: () => this.turn(() => this.opened()),
      received: (bytes) => this.turn(() => this.lines.feed(bytes, (line) => receive(cluster, this, line))),
      closed: () => this.turn(() => this.free()),
    })
  }

  private turn(work: () => void): void {
    if (this.node.link === this) this.cluster.turn(work)
  }

  /** The first ping is a new question, and the old one is still open. */
  private opened(): void {
    const { pingSentMs } = this.node
    sendPing(this.cluster, this)
    if (pingSentMs !== 0) this.node.pingSentMs = pingSentMs
  }

  write(bytes: string): void {
    this.wire.write(bytes)
  }

  free(): void {
    this.node.link = null
    this.wire.close()
  }
}

/** The bus listens this far above the port for clients. */
export const busPortOffset = 10_000

/** Who dialled this node, as whoever owns the network gives it. */
export interface BusPeer {
  write(bytes: string): void
}

/** A connection that another node dialled. */
export class InboundLink {
  /** Who dialled, once it has said so. */
  node: ClusterNode | null = null
  readonly createdMs: number
  private readonly lines = new Lines()

  constructor(
    private readonly cluster: Cluster,
    private readonly peer: BusPeer,
  ) {
    this.createdMs = cluster.nowMs
  }

  receive(bytes: string): void {
    const { cluster } = this
    cluster.turn(() => this.lines.feed(bytes, (line) => receive(cluster, this, line)))
  }

  write(bytes: string): void {
    this.peer.write(bytes)
  }

  /** The other end is gone. */
  close(): void {
    if (this.node?.inbound === this) this.node.inbound = null
  }
}
