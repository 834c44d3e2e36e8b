import { busPortOffset } from 'redis-sim/cluster'
import type { Tap } from 'virtual-node/network'
import type { VirtualProcess } from 'virtual-node/runtime'
import type { RedisAddress } from '../../contract/api/implementation.ts'
import type { RedisPlan } from '../../contract/api/plan.ts'
import { CommandLabels } from '../../run/command-labels.ts'
import { AskedSentinels } from './asked-sentinels.ts'
import { ImmortalKeys } from './immortal-keys.ts'
import type { Machine } from './machine.ts'
import { OrphanedCommands } from './orphaned-commands.ts'
import { ReachedOffsets } from './reached-offsets.ts'
import { placedSentinels, placedServers, redisAddressOf } from './redis-layout.ts'
import { RedisNode } from './redis-node.ts'
import { SentinelNode } from './sentinel-node.ts'
import type { StoreWait } from './store-site.ts'
import { StoreSteps } from './store-steps.ts'
import { Topology } from './topology.ts'
import type { TrafficEvent } from './traffic.ts'
import type { World } from './world-state.ts'

/**
 * By this time Sentinels have queried all servers: INFO is sent at once, hello messages every two
 * seconds.
 */
const settlingUs = 3_000_000
const lookAgainUs = 100_000

/**
 * The Redis deployment of a run on the simulated network: one server, a primary with its replicas
 * and the Sentinels that watch them, a Cluster of several shards without Sentinels, or several
 * independent servers.
 */
export class RedisSite {
  readonly labels = new CommandLabels()
  readonly immortalKeys = new ImmortalKeys()
  readonly address: RedisAddress
  /** Null once the run is over. */
  #world: World | null
  #nodes: readonly RedisNode[]
  #sentinels: readonly SentinelNode[]
  readonly #topology: Topology<RedisNode>
  readonly #reached = new ReachedOffsets<RedisNode>()
  readonly #hosts = new Map<string, string>()
  /** Null if steps are not recorded. A single server does nothing by itself. */
  readonly #steps: StoreSteps | null

  constructor(
    world: World,
    private readonly plan: RedisPlan | undefined,
    traffic: TrafficEvent[] | null,
  ) {
    this.#world = world
    this.#topology = new Topology(world.recorder)
    const servers = placedServers(plan)
    const sentinels = placedSentinels(plan, servers)
    this.address = redisAddressOf(plan, servers, sentinels)
    for (const { address } of [...servers, ...sentinels]) world.network.place(address.host, address.name)

    this.#steps =
      world.scheduleRecorder === null || plan === undefined
        ? null
        : new StoreSteps(world.scheduleRecorder, plan.shards ?? 0)
    const deployment = {
      labels: this.labels,
      orphans: new OrphanedCommands(world),
      severalServers: plan !== undefined,
      isCluster: plan?.shards !== undefined,
      traffic: null,
      topology: this.#topology,
      immortalKeys: this.immortalKeys,
      reached: this.#reached,
      steps: this.#steps,
    }
    this.#nodes = servers.map(({ address, shard, config, nodes, isSpare }, at) => {
      // Traffic is recorded only at the first primary. It is not recorded in a Cluster, because a
      // node replies only for its own slots.
      const shared = at === 0 && plan?.shards === undefined ? { ...deployment, traffic } : deployment
      const node = new RedisNode(world, address, world.clock(-1 - at), shared, config, nodes, isSpare)
      this.#topology.add(node, shard)
      this.#reached.add(node)
      this.#steps?.add(node)
      if (isSpare) node.stop(true)
      return node
    })
    this.#sentinels = sentinels.map(({ address, config }, at) => {
      return new SentinelNode(world, address, world.clock(-101 - at), config, (...said) => this.#sentinelSays(...said))
    })
    for (const node of this.#nodes) this.#listen(node, node.tap)
    const asked = world.scheduleRecorder === null ? null : new AskedSentinels(world)
    for (const sentinel of this.#sentinels) this.#listen(sentinel, asked?.watch(sentinel) ?? null)
  }

  #listen(machine: RedisNode | SentinelNode, tap: Tap | null): void {
    const { network } = this.world
    const { name, host, port } = machine.address
    this.#hosts.set(name, host)
    network.listen(host, port, name, machine, tap)
    if (machine.runs === 'redis' && this.plan?.shards !== undefined)
      network.listen(host, port + busPortOffset, name, machine.busListener, null)
  }

  private get world(): World {
    if (this.#world === null) throw new Error('the run of this deployment is over')
    return this.#world
  }

  /** Called when the run is over; see `VirtualProcess.dispose`. */
  dispose(): void {
    this.#topology.dispose()
    this.#reached.dispose()
    this.#steps?.dispose()
    this.#world = null
    this.#nodes = []
    this.#sentinels = []
  }

  /** All machines. The machines of the shard that was written to last come first. */
  get machines(): readonly Machine[] {
    const atHand = this.#nodes.filter((node) => this.#topology.isAtHand(node))
    const others = this.#nodes.filter((node) => !this.#topology.isAtHand(node))
    return [...atHand, ...others, ...this.#sentinels]
  }

  waitsOf(process: VirtualProcess): StoreWait[] {
    return this.#nodes.flatMap((node) => node.waitsOf(process))
  }

  /** All Redis servers, in the order of their numbers. */
  get servers(): readonly RedisNode[] {
    return this.#nodes
  }

  get sentinels(): readonly SentinelNode[] {
    return this.#sentinels
  }

  /** The actual primary of the shard that was written to last. */
  get primary(): RedisNode {
    return this.#topology.primary
  }

  /** The actual primary of each shard. */
  get primaries(): readonly RedisNode[] {
    return this.#topology.primaries
  }

  /**
   * True if a Sentinel that is up is about to replace its primary, or does not know the new primary
   * yet.
   */
  get anyFailover(): boolean {
    return this.#sentinels.some(
      ({ up, server }) =>
        up &&
        [...server.primaries.values()].some(
          ({ address, failoverInProgress }) => failoverInProgress || address.host !== this.primary.address.host,
        ),
    )
  }

  /**
   * Every Sentinel that is up forgets all replicas, and learns the attached replicas from the
   * primary.
   */
  forgetReplicas(): void {
    for (const sentinel of this.#sentinels) if (sentinel.up) sentinel.reset()
  }

  /**
   * Calls `forgetReplicas` once all counted servers follow their primary, all Sentinels are up and
   * no failover is in progress, so that no other replica is forgotten.
   */
  forgetReplicasWhenAttached(): void {
    if (this.#world === null) return
    if (!this.anyFailover && this.#allFollow && this.#sentinels.every(({ up }) => up)) return this.forgetReplicas()
    this.#world.kernel.schedule(lookAgainUs, null, () => this.forgetReplicasWhenAttached())
  }

  /** True if every counted server, except primaries, is a replica that its primary has accepted. */
  get #allFollow(): boolean {
    return this.#nodes
      .filter((node) => !node.isSpare && !this.#topology.isPrimary(node))
      .every(({ up, server }) => up && server.replication.link?.state === 'connected')
  }

  /** The address of a machine by its name. */
  resolve(name: string): string | null {
    return this.#hosts.get(name) ?? null
  }

  /**
   * Calls `done` when replicas have synced and Sentinels know all servers, as an operator would
   * wait before a deployment.
   */
  whenSettled(done: () => void): void {
    if (this.plan === undefined) return done()
    const { kernel } = this.world
    const look = () => {
      const settled = this.#allFollow && this.#nodes.every(({ server }) => server.cluster?.state !== 'fail')
      if (settled && kernel.nowUs >= settlingUs) done()
      else kernel.schedule(lookAgainUs, null, look)
    }
    look()
  }

  #sentinelSays(sentinel: SentinelNode, type: string, message: string): void {
    for (const observer of this.#world?.observers ?? []) observer.sentinelSays?.(sentinel.name, type, message)
    // The Sentinel that leads a failover notifies its clients before the failover is over.
    if (type === '+promoted-slave') this.#steps?.announces(sentinel.name, message.split(' ')[2])
    if (type !== '+switch-master') return
    const host = message.split(' ')[3]
    this.#steps?.announces(sentinel.name, host)
    const primary = this.#nodes.find(({ address }) => address.host === host)
    this.#topology.announced(sentinel, primary, host)
  }
}
