/**
 * The nodes of a Cluster in a run that follows a schedule. They never declare a node dead by
 * themselves (`cluster-node-timeout` is longer than any run), and take over only on request
 * (`CLUSTER FAILOVER`). Their messages pass through links of this process (`BusRules`).
 */
import { once } from 'node:events'
import fs from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { freePort } from 'test-servers'
import type { RedisPlan } from '../../contract/api/plan.ts'
import type { NodeView } from '../../contract/results/step.ts'
import { firstSlotOf, nodeId, nodeName } from '../../run/cluster-nodes.ts'
import type { RunDirectory } from '../environment/run-directory.ts'
import { allStarted, eventually } from '../servers/asking.ts'
import { BusLink } from './bus-link.ts'
import { type BusMessage, failMessage } from './bus-message.ts'
import { BusRules } from './bus-rules.ts'
import { HeldDeployment, type HeldWish, neverMs } from './held-deployment.ts'
import type { HeldMachine } from './held-machine.ts'
import { type ClusterPlace, nodesConf, placeConfig } from './nodes-conf.ts'

export class HeldCluster extends HeldDeployment {
  readonly places: ClusterPlace[] = []
  readonly bus: BusRules
  readonly shards: number
  /** The last message of each node, by its id. */
  readonly #said = new Map<string, BusMessage>()
  /** The current primary of each shard. */
  readonly #leads: HeldMachine[] = []

  private constructor(binary: string, directory: RunDirectory, redis: RedisPlan) {
    super(binary, directory, redis)
    this.shards = redis.shards!
    this.bus = new BusRules(this.places, this.rules)
  }

  /**
   * Starts the nodes. Resolves when all of them serve and all replicas are in sync.
   * @throws LiveProblem
   */
  static async start(binary: string, directory: RunDirectory, { redis }: HeldWish): Promise<HeldCluster> {
    const cluster = new HeldCluster(binary, directory, redis)
    return HeldDeployment.started(cluster, () => cluster.#start(redis))
  }

  async #start(redis: RedisPlan): Promise<void> {
    for (let shard = 0; shard < this.shards; shard++)
      for (let at = 0; at <= redis.replicas; at++) this.places.push(await this.#place(shard, at))
    for (const place of this.places) {
      const { name, port, link } = place
      const node = this.machine(name, 'redis', { port, link, config: this.#configOf(place) })
      fs.writeFileSync(path.join(node.folder, 'nodes.conf'), nodesConf(place, this.places, this.shards))
      this.nodes.push(node)
      if (place.leads) this.#leads.push(node)
      else this.rules.bare(name, true)
    }
    await allStarted(this.nodes.map((node) => node.start()))
    await eventually(() => this.#allServe(), 'the nodes of the Cluster', 'they do not serve')
  }

  /** Names and ids are the same as in the simulator. */
  async #place(shard: number, at: number): Promise<ClusterPlace> {
    const name = nodeName(shard, at)
    const [port, busPort] = [await freePort(), await freePort()]
    const bus = await BusLink.open({
      name,
      to: { host: '127.0.0.1', port: busPort },
      rules: this.bus,
      said: (message) => void this.#said.set(message.sender, message),
    })
    const link = await this.link(name, 'redis', port)
    return { name, id: nodeId(shard, at), shard, leads: at === 0, port, busPort, link, bus }
  }

  #configOf(place: ClusterPlace): string[] {
    return [
      ...placeConfig(place),
      ...['notify-keyspace-events Ex', 'repl-ping-replica-period 3600', 'repl-timeout 3600'],
      ...[`cluster-node-timeout ${neverMs}`, 'cluster-replica-validity-factor 0', 'cluster-replica-no-failover yes'],
      'cluster-migration-barrier 100',
    ]
  }

  async #allServe(): Promise<boolean> {
    const served = await Promise.all(
      this.nodes.map(async (node) => {
        const fields = await node.info('replication')
        const follows = this.leaderOf(node) === node || fields.get('master_link_status') === 'up'
        return follows && (await this.view(node)).state === 'ok'
      }),
    )
    return served.every(Boolean)
  }

  async hold(): Promise<void> {
    this.rules.hold()
    for (const { name, shard, leads } of this.places) {
      if (leads) this.bus.claims(name, shard + 1)
      else this.rules.limit(name, this.#leads[shard]!.name, 0)
    }
  }

  placeOf({ name }: { readonly name: string }): ClusterPlace {
    return this.places.find((one) => one.name === name)!
  }

  #nameOf(id: string): string {
    return this.bus.nameOf(id) ?? id
  }

  /** The view that the node reports to its clients. */
  async view(node: HeldMachine): Promise<NodeView> {
    const [info, slots, nodes] = (await Promise.all([
      node.call('CLUSTER', 'INFO'),
      node.call('CLUSTER', 'SLOTS'),
      node.call('CLUSTER', 'NODES'),
    ])) as [string, [number, number, ...[string, number, string][]][], string]
    const shards = Array.from({ length: this.shards }, (_, shard) => {
      const slot = firstSlotOf(shard, this.shards)
      const [, , owner, ...replicas] = slots.find(([from, to]) => from <= slot && slot <= to) ?? [0, 0]
      const names = replicas.map(([, , id]) => this.#nameOf(id))
      return { owner: owner === undefined ? null : this.#nameOf(owner[2]), replicas: names }
    })
    const failing = nodes.split('\n').flatMap((line) => {
      const [id = '', , flags = ''] = line.split(' ')
      return flags.split(',').includes('fail') ? [this.#nameOf(id)] : []
    })
    const state = info.includes('cluster_state:ok') ? 'ok' : 'fail'
    return { state, shards, failing: failing.sort() }
  }

  /** Makes the node exchange its state with all others. */
  reconnect({ name }: HeldMachine): void {
    for (const place of this.places) place.bus.end(place.name === name ? null : name)
  }

  /** Makes the node receive a FAIL message about `failing`, as if from another node. */
  async reportDead(node: HeldMachine, failing: string): Promise<void> {
    const dead = this.placeOf({ name: failing }).id
    const { id, busPort } = this.placeOf(node)
    const witness = [...this.#said.values()].find(({ sender }) => sender !== dead && sender !== id)
    if (witness === undefined) throw new Error('no node has sent anything on the bus')
    const socket = net.connect({ host: '127.0.0.1', port: busPort })
    socket.on('error', () => {})
    const closed = once(socket, 'close')
    socket.end(failMessage(witness, dead))
    socket.resume()
    await closed
  }

  get reported(): readonly number[] {
    return this.places.map(({ link }) => link.address.port)
  }

  /** The ports that clients connect to first. */
  get firstPorts(): readonly number[] {
    return this.places.filter(({ leads }) => leads).map(({ link }) => link.address.port)
  }

  leaderOf(server: HeldMachine): HeldMachine {
    return this.#leads[this.placeOf(server).shard]!
  }

  promoted(server: HeldMachine): void {
    this.#leads[this.placeOf(server).shard] = server
  }

  shardOf(server: HeldMachine): readonly HeldMachine[] {
    const { shard } = this.placeOf(server)
    return this.nodes.filter((one) => this.placeOf(one).shard === shard)
  }

  override async close(): Promise<void> {
    await super.close()
    await Promise.all(this.places.map(({ bus }) => bus.close()))
  }
}
