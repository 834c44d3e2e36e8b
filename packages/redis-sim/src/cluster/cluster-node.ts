import type { BusLink, InboundLink } from './bus-link.ts'

/**
 * What a node knows of another one, and of itself. Times in milliseconds of its own clock; 0:
 * never.
 */
export class ClusterNode {
  /** Whose replica it is; null for a primary, and for a replica that has none. */
  primary: ClusterNode | null = null
  isPrimary = true
  readonly replicas: ClusterNode[] = []
  configEpoch = 0
  slotCount = 0
  /** `pfail`: I cannot reach it; `fail`: a majority of the primaries cannot. */
  failure: 'pfail' | 'fail' | null = null
  failedMs = 0
  noFailover = false
  /** When the ping was sent that is not answered yet; 0: all are. */
  pingSentMs = 0
  pongReceivedMs = 0
  dataReceivedMs = 0
  votedMs = 0
  replicationOffset = 0
  /** Primaries that cannot reach it, and when they said so last. */
  readonly reports = new Map<ClusterNode, number>()
  link: BusLink | null = null
  inbound: InboundLink | null = null

  constructor(
    readonly id: string,
    readonly host: string,
    readonly port: number,
    /** In the order in which nodes became known. */
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
