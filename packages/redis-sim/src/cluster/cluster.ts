/**
 * One node's part in a Redis Cluster: membership, slot ownership, failure detection and failover.
 * Source: cluster.c of Redis 7.0.15.
 *
 * Fault model: the node injects no faults; the bus runs over wires, which the owner of the network
 * can cut. The node dies with its server and restarts from `saved`. Not simulated: MEET and
 * handshakes (the cluster is complete from the beginning: `NodesFile`), migrating slots (ASK,
 * TRYAGAIN, SETSLOT, MIGRATE), manual failover, replicas that migrate to orphaned primaries, RESET,
 * nodes that change their addresses, host names, and clients that block on keys of a slot that
 * moves (when a primary becomes a replica, their waiting ends). The nodes for gossip and pings are
 * chosen in rotation; real nodes choose at random.
 */
import type { RedisServer } from '../server.ts'
import type { Wires } from '../wires.ts'
import { BusLink, type BusPeer, busPortOffset, InboundLink } from './bus-link.ts'
import { ClusterNode } from './cluster-node.ts'
import { Counts } from './counts.ts'
import { Candidacy, handleElection } from './election.ts'
import type { NodesFile } from './nodes-file.ts'
import { broadcastPong, sendPing } from './send.ts'
import { SlotMap, slotsIn } from './slot-map.ts'
import { updateState } from './state.ts'

/**
 * Microseconds. serverCron runs every 100 ms plus the rounding of the event loop. With exactly 100
 * ms and a node timeout of one second, the last pong (which takes a fraction of a millisecond)
 * would be slightly younger than half the timeout at the fifth tick, so pings would go out every
 * 600 ms. Real nodes ping every 503 ms.
 */
const tickUs = 100_500
/** Once in this number of ticks, the node with the oldest pong is pinged even if no ping is due. */
const ticksBetweenPings = 10

export class Cluster {
  readonly nodes: ClusterNode[] = []
  readonly slots = new SlotMap(this.nodes)
  readonly myself: ClusterNode
  readonly others: readonly ClusterNode[]
  readonly candidacy = new Candidacy()
  readonly sent = new Counts()
  readonly received = new Counts()
  state: 'ok' | 'fail' = 'fail'
  /** Number of primaries that serve slots. */
  size = 1
  currentEpoch: number
  lastVoteEpoch: number
  /** State of `updateState`. */
  firstUpdateMs: number | null = null
  amongMinorityMs = 0
  stateIsOld = false
  electionIsDue = false
  gossipTurn = 0
  private readonly byId = new Map<string, ClusterNode>()
  private ticks = 0
  private stopped = false

  constructor(
    readonly server: RedisServer,
    file: NodesFile,
  ) {
    this.currentEpoch = file.currentEpoch
    this.lastVoteEpoch = file.lastVoteEpoch
    file.nodes.forEach(({ id, host, port }, index) => {
      const node = new ClusterNode(id, host, port, index)
      this.nodes.push(node)
      this.byId.set(id, node)
    })
    this.myself = this.byId.get(file.myId)!
    this.others = this.nodes.filter((node) => node !== this.myself)
    this.read(file)
    const { replicaof } = this
    if (replicaof !== null) server.config.replicaof = replicaof
    server.after((1 + server.environment.random(100)) * 1000, () => this.tick(), true)
  }

  private read(file: NodesFile): void {
    for (const { id, primary, configEpoch, slots, failure = null } of file.nodes) {
      const node = this.byId.get(id)!
      node.configEpoch = configEpoch
      node.failure = node === this.myself ? null : failure
      if (failure === 'fail') node.failedMs = this.nowMs
      if (primary !== null) node.follow(this.byId.get(primary)!)
      for (const range of slots) this.slots.giveFirst(range, node)
    }
  }

  /** The current content of this node's nodes file. */
  get saved(): NodesFile {
    const { myself, currentEpoch, lastVoteEpoch, slots } = this
    const nodes = this.nodes.map((node) => {
      const { id, host, port, configEpoch, failure } = node
      return { id, host, port, configEpoch, failure, primary: node.primary?.id ?? null, slots: slots.rangesOf(node) }
    })
    return { myId: myself.id, currentEpoch, lastVoteEpoch, nodes }
  }

  get nowMs(): number {
    return this.server.keyspace.state.nowMs
  }

  get timeoutMs(): number {
    return this.server.config.clusterNodeTimeout
  }

  get wires(): Wires {
    const { wires } = this.server.environment
    if (wires === undefined) throw new Error('a node of a Cluster needs wires')
    return wires
  }

  get majority(): number {
    return Math.floor(this.size / 2) + 1
  }

  get connections(): number {
    return this.others.reduce((sum, { link, inbound }) => sum + (link === null ? 0 : 1) + (inbound === null ? 0 : 1), 0)
  }

  get busPort(): number {
    return this.myself.port + busPortOffset
  }

  /** Address of this node's primary in the format of redis.conf; null if this node is a primary. */
  private get replicaof(): string | null {
    const { primary } = this.myself
    return primary === null ? null : `${primary.host} ${primary.port}`
  }

  node(id: string): ClusterNode | undefined {
    return this.byId.get(id)
  }

  accept(peer: BusPeer): InboundLink {
    return new InboundLink(this, peer)
  }

  shutdown(): void {
    this.stopped = true
    for (const { link } of this.nodes) link?.free()
  }

  // Each message and each timer of the node runs in a turn.

  turn(work: () => void): void {
    if (this.stopped) return
    this.server.readClock()
    work()
    // While the server loads, the node only answers messages.
    if (this.server.isLoading) return
    if (this.electionIsDue) {
      this.electionIsDue = false
      handleElection(this)
    }
    if (this.stateIsOld) updateState(this)
    this.server.environment.hadTurn?.()
    this.server.stepUnblocked()
  }

  /** Source: clusterCron of Redis 7.0. */
  private tick(): void {
    this.turn(() => {
      if (this.server.isLoading) return
      this.followOwnPrimary()
      this.ticks++
      for (const node of this.others) node.link ??= new BusLink(this, node)
      if (this.ticks % ticksBetweenPings === 0) this.pingOldest()
      for (const node of this.others) this.watch(node)
      handleElection(this)
      if (this.state === 'fail') this.stateIsOld = true
    })
    this.server.after(tickUs, () => this.tick(), true)
  }

  private pingOldest(): void {
    let oldest: ClusterNode | null = null
    for (const node of this.others) {
      if (node.link === null || node.pingSentMs !== 0) continue
      if (oldest === null || node.pongReceivedMs < oldest.pongReceivedMs) oldest = node
    }
    if (oldest !== null) sendPing(this, oldest.link!)
  }

  private watch(node: ClusterNode): void {
    const { nowMs, timeoutMs } = this
    const { link } = node
    const pingDelayMs = nowMs - node.pingSentMs
    const dataDelayMs = nowMs - node.dataReceivedMs
    const isSilent = node.pingSentMs !== 0 && Math.min(pingDelayMs, dataDelayMs) > timeoutMs / 2
    if (link !== null && isSilent && nowMs - link.createdMs > timeoutMs) link.free()
    if (node.link !== null && node.pingSentMs === 0) {
      if (nowMs - node.pongReceivedMs > timeoutMs / 2) sendPing(this, node.link)
      return
    }
    if (node.pingSentMs === 0 || Math.min(pingDelayMs, dataDelayMs) <= timeoutMs || node.failure !== null) return
    node.failure = 'pfail'
    this.stateIsOld = true
  }

  // Changes of this node's role.

  /**
   * Called when this node has won the election. Takes over the slots of the failed primary and
   * broadcasts a pong.
   */
  replacePrimary(failed: ClusterNode): void {
    const { myself, slots, server } = this
    const slotsOfFailed = [...slotsIn(slots.text(failed))]
    myself.lead()
    server.replication.lead()
    for (const slot of slotsOfFailed) slots.give(slot, myself)
    updateState(this)
    broadcastPong(this, 'all')
    server.environment.roleChanged?.()
  }

  follow(primary: ClusterNode): void {
    const { server } = this
    this.myself.follow(primary)
    // A server that is loading at its start follows when the loading ends. A replica that is
    // loading its old primary's data set follows at the next tick.
    if (server.isLoading) server.config.replicaof = `${primary.host} ${primary.port}`
    else server.replication.follow(primary.host, primary.port)
    server.environment.roleChanged?.()
  }

  private followOwnPrimary(): void {
    const { primary } = this.myself
    const { link } = this.server.replication
    if (primary === null || (link?.host === primary.host && link.port === primary.port)) return
    this.follow(primary)
  }
}
