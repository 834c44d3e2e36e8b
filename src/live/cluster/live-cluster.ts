/**
 * The nodes of a Cluster that act by themselves: they consider a node down after
 * `cluster-node-timeout`, vote and fail over. Their messages, which identify the sender, pass
 * through links of this process. Between nodes that are cut off from each other, the stream of
 * writes is held back, and bus messages are lost.
 */
import fs from 'node:fs'
import path from 'node:path'
import { freePort } from 'test-servers'
import type { RedisPlan } from '../../contract/api/plan.ts'
import { nodeId, nodeName } from '../../run/cluster-nodes.ts'
import type { RunDirectory } from '../environment/run-directory.ts'
import { BusLink } from '../held/bus-link.ts'
import type { BusMessage } from '../held/bus-message.ts'
import { neverMs } from '../held/held-deployment.ts'
import type { HeldMachine } from '../held/held-machine.ts'
import { LinkedDeployment } from '../held/linked-deployment.ts'
import { type ClusterPlace, nodesConf, placeConfig } from '../held/nodes-conf.ts'
import type { Sync } from '../held/replica-stream.ts'
import { allStarted, eventually } from '../servers/asking.ts'

/** Receives the messages between nodes as they pass. */
export interface ClusterNews {
  /** Called when a node has sent a bus message, which may not arrive. */
  said(node: string, message: BusMessage): void
  synced(replica: string, how: Sync): void
}

export class LiveCluster extends LinkedDeployment {
  readonly #places: ClusterPlace[] = []
  readonly #listeners = new Set<ClusterNews>()

  private constructor(
    binary: string,
    directory: RunDirectory,
    private readonly redis: RedisPlan & { readonly shards: number },
  ) {
    super(binary, directory, redis)
  }

  /**
   * Starts the nodes. Resolves when all of them serve and all replicas are in sync.
   * @throws LiveProblem
   */
  static async start(binary: string, directory: RunDirectory, redis: RedisPlan): Promise<LiveCluster> {
    const cluster = new LiveCluster(binary, directory, { ...redis, shards: redis.shards! })
    return LinkedDeployment.started(cluster, () => cluster.#start())
  }

  async #start(): Promise<void> {
    const { shards, replicas } = this.redis
    for (let shard = 0; shard < shards; shard++)
      for (let at = 0; at <= replicas; at++) this.#places.push(await this.#place(shard, at))
    for (const place of this.#places) {
      const node = this.machine(place.name, 'redis', { ...place, config: this.#configOf(place) })
      fs.writeFileSync(path.join(node.folder, 'nodes.conf'), nodesConf(place, this.#places, shards))
      this.nodes.push(node)
    }
    await allStarted(this.nodes.map((node) => node.start()))
    await eventually(() => this.#allServe(), 'the nodes of the Cluster', 'they do not serve')
    await Promise.all(this.nodes.map((node) => node.set('cluster-node-timeout', String(this.redis.downAfterMs))))
  }

  async #place(shard: number, at: number): Promise<ClusterPlace> {
    const name = nodeName(shard, at)
    const [port, busPort] = [await freePort(), await freePort()]
    const bus = await BusLink.open({ name, to: { host: '127.0.0.1', port: busPort }, rules: this, said: this.#said })
    const link = await this.link(name, 'redis', port)
    return { name, id: nodeId(shard, at), shard, leads: at === 0, port, busPort, link, bus }
  }

  #configOf(place: ClusterPlace): string[] {
    return [
      ...placeConfig(place),
      // Pings are sent every second, because a replica without recent data from its primary does
      // not stand for election.
      ...['notify-keyspace-events EA', 'repl-ping-replica-period 1'],
      // Failure detection starts only when all nodes are up, because otherwise a node that starts
      // slowly would be replaced.
      ...[`cluster-node-timeout ${neverMs}`, 'cluster-allow-replica-migration no'],
      `min-replicas-to-write ${this.redis.minReplicasToWrite}`,
    ]
  }

  async #allServe(): Promise<boolean> {
    const served = await Promise.all(
      this.nodes.map(async (node) => {
        const isLevel = this.placeOf(node).leads || (await node.info('replication')).get('master_link_status') === 'up'
        return isLevel && String(await node.call('CLUSTER', 'INFO')).includes('cluster_state:ok')
      }),
    )
    return served.every(Boolean)
  }

  /** Adds a listener. Returns a function that removes it. */
  listen(listener: ClusterNews): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  readonly #said = (message: BusMessage): void => {
    const node = this.nameOf(message.sender)
    if (node !== undefined) for (const listener of this.#listeners) listener.said(node, message)
  }

  protected override syncs(replica: string, how: Sync): void {
    for (const listener of this.#listeners) listener.synced(replica, how)
  }

  nameOf(id: string): string | undefined {
    return this.#places.find((one) => one.id === id)?.name
  }

  passes({ sender }: BusMessage, to: string): boolean {
    const from = this.nameOf(sender)
    return from === undefined || this.rules.reach(from, to)
  }

  placeOf({ name }: { readonly name: string }): ClusterPlace {
    return this.#places.find((one) => one.name === name)!
  }

  /** The nodes of each shard. */
  get shards(): readonly (readonly HeldMachine[])[] {
    return this.#places.filter(({ leads }) => leads).map((first) => this.shardOf(first))
  }

  shardOf({ name }: { readonly name: string }): readonly HeldMachine[] {
    const { shard } = this.placeOf({ name })
    return this.nodes.filter((one) => this.placeOf(one).shard === shard)
  }

  /** The primary of the first shard at the start. No single server of a Cluster has all keys. */
  async primary(): Promise<HeldMachine> {
    return this.nodes[0]!
  }

  get reported(): readonly number[] {
    return this.#places.map(({ link }) => link.address.port)
  }

  /** The ports that clients connect to first. */
  get firstPorts(): readonly number[] {
    return this.#places.filter(({ leads }) => leads).map(({ link }) => link.address.port)
  }

  override async close(): Promise<void> {
    await super.close()
    await Promise.all(this.#places.map(({ bus }) => bus.close()))
  }
}
