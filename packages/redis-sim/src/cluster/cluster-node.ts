import type { BusLink, InboundLink } from './bus-link.ts'

/**
 * A node's view of another node, or of itself. Times are in milliseconds of the node's clock; 0
 * means never.
 */
export class ClusterNode {
  /** The node's primary; null if the node is a primary, or a replica without a primary. */
  primary: ClusterNode | null = null
  isPrimary = true
  readonly replicas: ClusterNode[] = []
  configEpoch = 0
  slotCount = 0
  /**
   * `pfail`: the viewing node cannot reach this node; `fail`: a majority of the primaries cannot
   * reach it.
   */
  failure: 'pfail' | 'fail' | null = null
  failedMs = 0
  noFailover = false
  /** Send time of the unanswered ping; 0 if every ping is answered. */
  pingSentMs = 0
  pongReceivedMs = 0
  dataReceivedMs = 0
  votedMs = 0
  replicationOffset = 0
  /** Primaries that reported this node as unreachable, with the times of their last reports. */
  readonly reports = new Map<ClusterNode, number>()
  link: BusLink | null = null
  inbound: InboundLink | null = null

  constructor(
    readonly id: string,
    readonly host: string,
    readonly port: number,
    /** Position in the order in which nodes became known. */
    readonly index: number,
  ) {}

  follow(primary: ClusterNode): void {
    this.leave()
    this.isPrimary = false
    this.primary = primary
    primary.replicas.push(this)
  }

  lead(): void {
    this.leave()
    this.isPrimary = true
  }

  private leave(): void {
    const { primary } = this
    primary?.replicas.splice(primary.replicas.indexOf(this), 1)
    this.primary = null
  }
}
