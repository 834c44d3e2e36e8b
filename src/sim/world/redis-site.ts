import type { Amiss } from '../../contract/history.ts'
import type { RedisAddress } from '../../contract/implementation.ts'
import type { RedisPlan } from '../../contract/plan.ts'
import { CommandLabels } from '../../run/command-labels.ts'
import { busPortOffset } from '../redis/cluster/bus-link.ts'
import type { NodesFile } from '../redis/cluster/nodes-file.ts'
import type { RedisConfig } from '../redis/config.ts'
import type { KeyDescription } from '../redis/keyspace/describe.ts'
import { type ClusterPlace, clusterPlaces } from './cluster-places.ts'
import { changedKeys } from './lost-keys.ts'
import type { Machine, Place } from './machine.ts'
import { type Deployed, RedisNode } from './redis-node.ts'
import { SentinelNode } from './sentinel-node.ts'
import { Strays } from './strays.ts'
import type { TrafficEvent } from './traffic.ts'
import type { World } from './world-state.ts'

/** The name under which Sentinels watch the deployment. */
const watchedAs = 'orders'
const redisPort = 6379
const sentinelPort = 26_379

/**
 * The Redis deployment of a run: one server, a primary with its replicas and the Sentinels that watch them, or a Cluster
 * of several such shards without Sentinels. It knows what no machine of it knows: which server of each shard was promoted
 * last, and so what was written in vain.
 */
export class RedisSite implements Deployed {
  readonly labels = new CommandLabels()
  readonly strays: Strays
  readonly nodes: readonly RedisNode[]
  readonly sentinels: readonly SentinelNode[]
  readonly address: RedisAddress
  /** Of each shard, whom the last promotion made primary, whoever else believes to be one. */
  readonly primaries: RedisNode[] = []
  readonly #shards = new Map<RedisNode, number>()
  /** The shard that a consumer wrote to last: what befalls "the primary" strikes where work is under way. */
  #focus = 0
  /** What a dead server had in memory, until it is back. */
  readonly #atDeath = new Map<RedisNode, readonly KeyDescription[]>()
  /** How those that had died came back. */
  readonly #cameBack = new Map<RedisNode, { readonly empty: boolean; readonly forgot: boolean }>()
  readonly #slaves = new Set<RedisNode>()
  readonly #names = new Map<string, string>()

  constructor(
    private readonly world: World,
    private readonly plan: RedisPlan | undefined,
    traffic: TrafficEvent[] | null,
  ) {
    this.strays = new Strays(world)
    const placed = placesOf(plan)
    for (const { place } of placed) world.network.place(place.address, place.name)
    this.nodes = placed.map(({ place, shard, nodes }, at) => {
      const first = placed.find((other) => other.shard === shard)!.place
      const config = plan === undefined ? {} : configOf(plan, place === first ? null : first)
      const told = plan === undefined ? traffic : null
      const node = new RedisNode(world, place, world.clock(-1 - at), this, config, told, nodes)
      this.#shards.set(node, shard)
      if (place === first) this.primaries.push(node)
      else this.#slaves.add(node)
      return node
    })
    this.sentinels = this.#placeSentinels(placed.map(({ place }) => place))
    this.address = this.#addressOf()
    for (const node of this.nodes) {
      this.#names.set(node.name, node.place.address)
      world.network.listen(node.place.address, redisPort, node.name, node, node)
      if (plan?.shards !== undefined)
        world.network.listen(node.place.address, redisPort + busPortOffset, node.name, node.busListener, null)
    }
    for (const node of this.sentinels) {
      this.#names.set(node.name, node.place.address)
      world.network.listen(node.place.address, sentinelPort, node.name, node, null)
    }
  }

  #placeSentinels(servers: readonly Place[]): SentinelNode[] {
    const { plan, world } = this
    if (plan === undefined) return []
    const places = Array.from({ length: plan.sentinels }, (_, at): Place => {
      return { name: `sentinel-${at + 1}`, address: `10.0.0.${101 + at}`, port: sentinelPort }
    })
    for (const { address, name } of places) world.network.place(address, name)
    const idOf = (at: number) => String(at + 1).repeat(40)
    return places.map((place, at) => {
      const knownSentinels = places.flatMap(({ address }, other) =>
        other === at ? [] : [{ host: address, port: sentinelPort, runId: idOf(other) }],
      )
      const monitor = {
        name: watchedAs,
        host: servers[0]!.address,
        port: redisPort,
        quorum: Math.floor(plan.sentinels / 2) + 1,
        downAfterMs: plan.downAfterMs,
        failoverTimeoutMs: plan.failoverTimeoutMs,
        knownReplicas: servers.slice(1).map(({ address, port }) => ({ host: address, port })),
        knownSentinels,
      }
      const config = { myId: idOf(at), monitors: [monitor] }
      return new SentinelNode(world, place, world.clock(-101 - at), config, (node, type, message) =>
        this.#announced(node, type, message),
      )
    })
  }

  #addressOf(): RedisAddress {
    const { name, address, port } = this.nodes[0]!.place
    const first = { host: this.plan === undefined ? name : address, port }
    const url = `redis://${first.host}:${port}`
    const replicas = this.plan?.replicas ?? 0
    const counts = { replicas, ...(this.plan?.waitFor === undefined ? {} : { waitFor: this.plan.waitFor }) }
    if (this.plan?.shards !== undefined) {
      const nodes = this.primaries.map(({ place }) => ({ host: place.address, port: place.port }))
      return { options: first, url, nodes, ...counts }
    }
    if (this.sentinels.length === 0) return { options: first, url, nodes: [first], ...counts }
    const sentinels = this.sentinels.map(({ place }) => ({ host: place.address, port: place.port }))
    return { options: { sentinels, name: watchedAs }, url, nodes: [first], ...counts }
  }

  /** The run is over: see `VirtualProcess.dispose`. */
  dispose(): void {
    for (const known of [this.#shards, this.#atDeath, this.#slaves]) known.clear()
    Object.assign(this, { world: null, nodes: [], sentinels: [], primaries: [] })
  }

  /** Those of the shard at hand first. */
  get machines(): readonly Machine[] {
    const isAtHand = (node: RedisNode) => this.#shards.get(node) === this.#focus
    const others = this.nodes.filter((node) => !isAtHand(node))
    return [...this.nodes.filter(isAtHand), ...others, ...this.sentinels]
  }

  get primary(): RedisNode {
    return this.primaries[this.#focus]!
  }

  #isPrimary(node: RedisNode): boolean {
    return this.primaries[this.#shards.get(node)!] === node
  }

  resolve(host: string): string | null {
    return this.#names.get(host) ?? null
  }

  /** Calls back when replicas have synced and Sentinels had the time to look at everything: how an operator leaves it. */
  whenSettled(done: () => void): void {
    if (this.plan === undefined) return done()
    const { kernel } = this.world
    const look = () => {
      const replicas = this.nodes.filter((node) => !this.#isPrimary(node))
      const settled =
        replicas.every(({ server }) => server.replication.link?.state === 'connected') &&
        this.nodes.every(({ server }) => server.cluster?.state !== 'fail')
      if (settled && kernel.nowUs >= settlingUs) done()
      else kernel.schedule(100_000, null, look)
    }
    look()
  }

  // What servers tell.

  get watched(): boolean {
    return this.plan !== undefined
  }

  died(node: RedisNode): void {
    const keys = node.server.describeKeys()
    this.#atDeath.set(node, keys)
    // An empty server that is born anew tells its clients so, too: it is another data set.
    if (this.#isPrimary(node) && !node.hasDisk)
      this.#lost(
        node,
        'restart',
        keys.map(({ key }) => key),
      )
  }

  restarted(node: RedisNode): void {
    const before = this.#atDeath.get(node) ?? []
    this.#atDeath.delete(node)
    this.#slaves.delete(node)
    if (node.server.replication.role === 'slave') this.#slaves.add(node)
    const lost = changedKeys(before, node.server.describeKeys())
    if (this.#isPrimary(node) && node.hasDisk) this.#lost(node, 'restart', lost)
    this.#cameBack.set(node, { empty: !node.hasDisk, forgot: lost.length > 0 })
  }

  perhapsChangedRole(node: RedisNode): void {
    const { role } = node.server.replication
    // One that reads its data follows nobody yet.
    if (node.server.isLoading) return
    if (role === 'slave') this.#slaves.add(node)
    else if (this.#slaves.delete(node)) this.#promoted(node)
  }

  #promoted(node: RedisNode): void {
    const shard = this.#shards.get(node)!
    const before = this.primaries[shard]!
    this.primaries[shard] = node
    const amiss = this.#amissWith(node)
    const sentence = `${node.name} is promoted in place of ${before.name}${amiss.map((one) => amissTexts[one]).join('')}`
    this.#tells(node, 'promoted', sentence, before.name, amiss)
    const had = this.#atDeath.get(before) ?? before.server.describeKeys()
    const lost = changedKeys(had, node.server.describeKeys())
    if (lost.length > 0) this.#lost(before, 'failover', lost)
  }

  #amissWith(node: RedisNode): Amiss[] {
    const { hasSynced, ledFrom } = node.server.replication
    const { empty = false, forgot = false } = (!hasSynced && this.#cameBack.get(node)) || {}
    const amiss = { 'never-synced': empty, forgetful: forgot, 'mid-resync': ledFrom === 'sync' }
    return (Object.keys(amiss) as Amiss[]).filter((one) => amiss[one])
  }

  wrote(node: RedisNode, keys: readonly string[] | undefined): void {
    this.#focus = this.#shards.get(node)!
    if (!this.#isPrimary(node) && !this.#slaves.has(node)) this.#lost(node, 'split-brain', keys)
  }

  replaced(node: RedisNode): void {
    this.#tells(node, 'resynced', `${node.name} drops its data for its primary's`)
  }

  #announced(node: SentinelNode, type: string, message: string): void {
    if (type !== '+switch-master') return
    const host = message.split(' ')[3]
    const primary = this.nodes.find(({ place }) => place.address === host)
    this.#tells(node, 'announced', `${node.name} announces ${primary?.name ?? host} as the primary`, primary?.name)
  }

  #tells(
    node: Machine,
    what: 'promoted' | 'resynced' | 'announced',
    sentence: string,
    other?: string,
    amiss: readonly Amiss[] = [],
  ): void {
    const about = { ...(other === undefined ? {} : { other }), ...(amiss.length === 0 ? {} : { amiss }) }
    this.world.recorder.fact({ type: 'topology', node: node.name, what, sentence, ...about })
  }

  #lost(
    node: RedisNode,
    cause: 'restart' | 'failover' | 'split-brain',
    redisKeys: readonly string[] | undefined,
  ): void {
    const keys = redisKeys === undefined ? {} : { redisKeys }
    const acknowledged = redisKeys?.some((key) => node.acknowledged.has(key)) ? { acknowledged: true } : {}
    this.world.recorder.fact({ type: 'data-lost', node: node.name, cause, ...keys, ...acknowledged })
  }
}

const amissTexts: Record<Amiss, string> = {
  'never-synced': ', though it has nothing from any primary',
  forgetful: ', though it has lost what it had',
  'mid-resync': ', in the middle of a full resync',
}

/** Sentinels have asked everybody by then: INFO at once, hello every two seconds. */
const settlingUs = 3_000_000

/** Who is where; of one shard only, where there is no Cluster. */
function placesOf(plan: RedisPlan | undefined): (Omit<ClusterPlace, 'nodes'> & { nodes?: NodesFile })[] {
  if (plan?.shards !== undefined) return clusterPlaces(plan, plan.shards, redisPort)
  return Array.from({ length: 1 + (plan?.replicas ?? 0) }, (_, at) => {
    const name = plan === undefined ? 'redis' : `redis-${at + 1}`
    return { place: { name, address: `10.0.0.${at + 1}`, port: redisPort }, shard: 0 }
  })
}

function configOf(plan: RedisPlan, primary: Place | null): Partial<RedisConfig> {
  return {
    ...(plan.shards === undefined
      ? { replicaof: primary === null ? '' : `${primary.address} ${primary.port}` }
      : { clusterEnabled: true, clusterNodeTimeout: plan.downAfterMs }),
    replDisklessSyncDelay: 0,
    fullSyncUs: plan.fullSyncMs * 1000,
    loadingUs: plan.loadingMs * 1000,
    minReplicasToWrite: plan.minReplicasToWrite ?? 0,
    save: plan.keeps === 'snapshot' ? '1 1' : '',
    appendonly: plan.keeps.startsWith('aof'),
    appendfsync: plan.keeps === 'aof-always' ? 'always' : 'everysec',
  }
}
