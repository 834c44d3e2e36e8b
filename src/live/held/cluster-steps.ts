/**
 * What nodes of a Cluster did by themselves in the simulator, brought about on real ones in its
 * step.
 */
import { type Knows, type NodeView, type StoreStep, sameStep, stepText } from '../../contract/results/step.ts'
import type { HeldCluster } from './held-cluster.ts'
import { neverMs } from './held-deployment.ts'
import type { HeldMachine } from './held-machine.ts'

/**
 * Shorter than half of a second, so that the time in which a primary waits before it serves again
 * is the shortest that there is, and longer than a ping takes on a busy machine.
 */
const shortMs = 240

/** With what clients see of it. */
export type Seen = Knows & { readonly seen: 'served' | 'told' }

type Until = (look: () => Promise<boolean>, what: string | (() => string)) => Promise<void>

export class ClusterSteps {
  /** By node: what it comes to believe. */
  readonly #coming = new Map<string, { readonly step: Knows; readonly done: Promise<void> }>()

  constructor(
    private readonly cluster: HeldCluster,
    /** @throws where it takes too long */
    private readonly until: Until,
  ) {}

  /** The run begins: all nodes come to believe what they do then. */
  async begin(known: readonly Knows[]): Promise<void> {
    for (const { server, view } of known) await this.#believes(server, view)
    await Promise.all(known.map((step) => this.#know({ ...step, seen: 'told' })))
  }

  /**
   * Nobody speaks to it meanwhile: it comes to believe so in its own time, or does not. It hears of
   * no replica that it does not tell of when somebody speaks to it `next`: what it has heard it
   * does not forget.
   */
  async mayKnow({ server, view }: Knows, next: NodeView | null): Promise<void> {
    const shards = view.shards.map(({ owner, replicas }, shard) => {
      const later = next?.shards[shard]
      return { owner, replicas: replicas.filter((one) => later?.owner !== owner || later.replicas.includes(one)) }
    })
    await this.#believes(server, { ...view, shards })
    this.cluster.bus.isolate(server, null)
    this.#coming.delete(server)
  }

  /** A replica of which a node tells has data, and be it only that its primary is alive. */
  async #believes(server: string, view: NodeView): Promise<void> {
    const { bus, rules } = this.cluster
    bus.believes(server, view)
    for (const { owner, replicas } of view.shards) {
      if (owner === null || replicas.length === 0) continue
      if (replicas.includes(server)) rules.bare(server, false)
      await this.#saysThatItLives(this.cluster.named(owner))
    }
  }

  async #saysThatItLives(primary: HeldMachine): Promise<void> {
    if (primary.up && !primary.frozen) await primary.call('CONFIG', 'SET', 'repl-ping-replica-period', '1')
  }

  /** It asks nobody: who fails, and who takes the place, is the simulator's word. */
  async promote({ server }: Extract<StoreStep, { kind: 'promoted' }>): Promise<void> {
    const { cluster } = this
    const node = cluster.named(server)
    const leads = async () => (await node.info('replication')).get('role') === 'master'
    await this.until(async () => {
      if (await leads()) return true
      await node.call('CLUSTER', 'FAILOVER', 'TAKEOVER')
      return leads()
    }, `${server} leads`)
    const info = String(await node.call('CLUSTER', 'INFO'))
    cluster.bus.claims(server, Number(/cluster_my_epoch:(\d+)/.exec(info)![1]))
  }

  async follow({ server, primary }: Extract<StoreStep, { kind: 'follows' }>): Promise<void> {
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

  /**
   * The first of them is to be; those that follow it with no other step in between come about
   * beside it.
   */
  know(steps: readonly Seen[]): Promise<void> {
    for (const { seen, ...step } of steps) {
      if (sameStep(step, this.#coming.get(step.server)?.step)) continue
      const done = this.#know({ ...step, seen })
      // Its turn hears of it. A run that ends before has no such turn, and its nodes are killed
      // under it.
      done.catch(() => {})
      this.#coming.set(step.server, { step, done })
    }
    return this.#coming.get(steps[0]!.server)!.done
  }

  async #know({ server, view, seen }: Seen): Promise<void> {
    const { cluster } = this
    const node = cluster.named(server)
    await this.#believes(server, view)
    const isAlone =
      view.state === 'fail' && view.shards.every(({ owner }) => owner !== null && !view.failing.includes(owner))
    cluster.bus.isolate(server, isAlone ? 'deaf' : null)
    let is = await cluster.view(node)
    for (const failing of view.failing) if (!is.failing.includes(failing)) await cluster.reportDead(node, failing)
    const comesBack = view.state === 'ok' && is.state === 'fail'
    const isRid = is.failing.some((one) => !view.failing.includes(one))
    const learns = textOf(is, 'told') !== textOf(view, 'told')
    if (isAlone || comesBack || isRid) await this.#timeout(node, shortMs)
    if (isRid || learns) cluster.reconnect(node)
    const believes = () =>
      this.until(
        async () => {
          is = await cluster.view(node)
          return textOf(is, seen) === textOf(view, seen)
        },
        () => stepText({ kind: 'knows', server, view: is }),
      )
    await believes()
    if (isAlone) {
      await this.until(() => this.#missesAll(node), `${server} reaches nobody`)
      cluster.bus.isolate(server, 'unanswered')
    }
    if (!isAlone && !comesBack && !isRid) return
    await this.#timeout(node, neverMs)
    // What it has lost sight of meanwhile does not come back by itself.
    await believes()
  }

  async #timeout(node: HeldMachine, ms: number): Promise<void> {
    await node.call('CONFIG', 'SET', 'cluster-node-timeout', String(ms))
  }

  /** Nothing that it hears later makes it serve by itself. */
  async #missesAll(node: HeldMachine): Promise<boolean> {
    const lines = String(await node.call('CLUSTER', 'NODES'))
      .trim()
      .split('\n')
    return lines.every((line) => /myself|fail/.test(line.split(' ')[2]!))
  }
}

/** As far as clients see it. */
function textOf({ state, shards }: NodeView, seen: Seen['seen']): string {
  return JSON.stringify([state, shards.map(({ owner, replicas }) => [owner, ...(seen === 'told' ? replicas : [])])])
}
