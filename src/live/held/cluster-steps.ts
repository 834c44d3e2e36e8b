/** What nodes of a Cluster did by themselves in the simulator, brought about on real ones in its step. */
import { type NodeView, type StoreStep, storeStepOf } from '../../run/store-steps.ts'
import type { HeldCluster } from './held-cluster.ts'
import { neverMs } from './held-deployment.ts'
import type { HeldMachine } from './held-machine.ts'

/**
 * Shorter than half of a second, so that the time in which a primary waits before it serves again is the shortest that there is,
 * and longer than a ping takes on a busy machine.
 */
const shortMs = 240

export type Knowing = Extract<StoreStep, { what: 'knows' }>

type Until = (look: () => Promise<boolean>, what: string) => Promise<void>

export class ClusterSteps {
  readonly #coming = new Map<Knowing, Promise<void>>()

  constructor(
    private readonly cluster: HeldCluster,
    /** @throws where it takes too long */
    private readonly until: Until,
  ) {}

  /** The run begins: all nodes come to believe what they do then. */
  async begin(known: readonly string[]): Promise<void> {
    const steps = known.flatMap((name) => {
      const step = storeStepOf(name)
      return step?.what === 'knows' ? [step] : []
    })
    for (const { server, view } of steps) this.#believes(server, view)
    await Promise.all(steps.map((step) => this.#know(step)))
  }

  /** Nobody speaks to it meanwhile: it comes to believe so in its own time, or does not. */
  mayKnow({ server, view }: Knowing): void {
    this.#believes(server, view)
    this.cluster.bus.isolate(server, null)
  }

  /** One that tells its clients of itself as a replica has data. */
  #believes(server: string, view: NodeView): void {
    this.cluster.bus.believes(server, view)
    if (view.shards.some(({ replicas }) => replicas.includes(server))) this.cluster.rules.bare(server, false)
  }

  /** It asks nobody: who fails, and who takes the place, is the simulator's word. */
  async promote({ server }: Extract<StoreStep, { what: 'promoted' }>): Promise<void> {
    const { cluster } = this
    const node = cluster.named(server)
    await node.call('CLUSTER', 'FAILOVER', 'TAKEOVER')
    await this.until(async () => (await node.info('replication')).get('role') === 'master', `${server} leads`)
    const info = String(await node.call('CLUSTER', 'INFO'))
    cluster.bus.claims(server, Number(/cluster_my_epoch:(\d+)/.exec(info)![1]))
  }

  async follow({ server, primary }: Extract<StoreStep, { what: 'follows' }>): Promise<void> {
    const { cluster } = this
    const node = cluster.named(server)
    const { shard, name } = cluster.placeOf({ name: primary })
    const before = cluster.bus.viewOf(server)!
    const shards = before.shards.map((one, at) => (at === shard ? { owner: name, replicas: [] } : one))
    cluster.bus.isolate(server, null)
    cluster.rules.bare(server, false)
    cluster.bus.believes(server, { ...before, shards })
    cluster.reconnect(node)
    const { port } = cluster.named(primary).announced
    await this.until(async () => {
      const fields = await node.info('replication')
      return fields.get('role') === 'slave' && Number(fields.get('master_port')) === port
    }, `${server} follows ${primary}`)
  }

  /** Where several come to believe something with no other step in between, they do so at once. */
  know(step: Knowing, following: readonly Knowing[]): Promise<void> {
    for (const one of [step, ...following]) this.#coming.set(one, this.#coming.get(one) ?? this.#know(one))
    return this.#coming.get(step)!
  }

  async #know({ server, view }: Knowing): Promise<void> {
    const { cluster } = this
    const node = cluster.named(server)
    this.#believes(server, view)
    const isAlone = view.state === 'fail' && view.shards.every(({ owner }) => owner !== null && !view.failing.includes(owner))
    cluster.bus.isolate(server, isAlone ? 'deaf' : null)
    const is = await cluster.view(node)
    for (const failing of view.failing) if (!is.failing.includes(failing)) await cluster.tellDead(node, failing)
    const comesBack = view.state === 'ok' && is.state === 'fail'
    const isRid = is.failing.some((one) => !view.failing.includes(one))
    if (isAlone || comesBack || isRid) await this.#timeout(node, shortMs)
    if (isRid || !isSame({ ...is, failing: [] }, { ...view, failing: [] })) cluster.reconnect(node)
    await this.until(async () => isSame(await cluster.view(node), view), `${server} knows ${JSON.stringify(view)}`)
    if (isAlone) {
      await this.until(() => this.#missesAll(node), `${server} reaches nobody`)
      cluster.bus.isolate(server, 'unanswered')
    }
    if (isAlone || comesBack || isRid) await this.#timeout(node, neverMs)
  }

  async #timeout(node: HeldMachine, ms: number): Promise<void> {
    await node.call('CONFIG', 'SET', 'cluster-node-timeout', String(ms))
  }

  /** Nothing that it hears later makes it serve by itself. */
  async #missesAll(node: HeldMachine): Promise<boolean> {
    const lines = String(await node.call('CLUSTER', 'NODES')).trim().split('\n')
    return lines.every((line) => /myself|fail/.test(line.split(' ')[2]!))
  }
}

const isSame = (one: NodeView, other: NodeView): boolean =>
  JSON.stringify([one.state, one.shards, [...one.failing].sort()]) ===
  JSON.stringify([other.state, other.shards, [...other.failing].sort()])
