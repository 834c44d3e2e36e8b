/** Makes real Cluster nodes do what the simulated nodes did by themselves, at the same step. */
import { type Knows, type NodeView, type StoreStep, sameStep, stepText } from '../../contract/results/step.ts'
import type { HeldCluster } from './held-cluster.ts'
import { neverMs } from './held-deployment.ts'
import type { HeldMachine } from './held-machine.ts'

/**
 * A short node timeout. It is below 500 ms, so that a primary waits only the minimum before it
 * serves again, and above the time of a ping on a busy machine.
 */
const shortMs = 240

/** A change of a node's view, with the part of the view that clients see. */
export type Seen = Knows & { readonly seen: 'served' | 'told' }

type Until = (look: () => Promise<boolean>, what: string | (() => string)) => Promise<void>

export class ClusterSteps {
  /** For each node, the view that it is about to adopt. */
  readonly #coming = new Map<string, { readonly step: Knows; readonly done: Promise<void> }>()

  constructor(
    private readonly cluster: HeldCluster,
    /**
     * Waits until `look` returns true.
     * @throws NotComeAbout if that takes too long
     */
    private readonly until: Until,
  ) {}

  /** Makes all nodes adopt their first views, at the start of the run. */
  async begin(known: readonly Knows[]): Promise<void> {
    for (const { server, view } of known) await this.#believes(server, view)
    await Promise.all(known.map((step) => this.#know({ ...step, seen: 'told' })))
  }

  /**
   * Allows a view that the node need not adopt, because no client contacts the node while it is
   * current. Omits replicas that are missing from `next`, the node's next view that a client sees,
   * because a node does not forget replicas.
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

  /**
   * Sets the view and prepares the node for it. A replica that a node reports must have some data,
   * even if only its primary's ping.
   */
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

  /**
   * Promotes a node without asking for votes, because the simulator has decided who fails and who
   * takes over.
   */
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
   * Waits until the first of the nodes has its view. Nodes that change directly after it, without
   * another step in between, adopt their views at the same time.
   */
  know(steps: readonly Seen[]): Promise<void> {
    for (const { seen, ...step } of steps) {
      if (sameStep(step, this.#coming.get(step.server)?.step)) continue
      const done = this.#know({ ...step, seen })
      // The node's own step handles the error. If the run ends before that step, its nodes are
      // killed during this work.
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
      await this.until(() => this.#missesAll(node), `${server} reaches no other node`)
      cluster.bus.isolate(server, 'unanswered')
    }
    if (!isAlone && !comesBack && !isRid) return
    await this.#timeout(node, neverMs)
    // Checks again, because anything that the node lost meanwhile does not return by itself.
    await believes()
  }

  async #timeout(node: HeldMachine, ms: number): Promise<void> {
    await node.call('CONFIG', 'SET', 'cluster-node-timeout', String(ms))
  }

  /** True if no later message can make the node serve by itself. */
  async #missesAll(node: HeldMachine): Promise<boolean> {
    const lines = String(await node.call('CLUSTER', 'NODES'))
      .trim()
      .split('\n')
    return lines.every((line) => /myself|fail/.test(line.split(' ')[2]!))
  }
}

/** The part of a view that clients see. */
function textOf({ state, shards }: NodeView, seen: Seen['seen']): string {
  return JSON.stringify([state, shards.map(({ owner, replicas }) => [owner, ...(seen === 'told' ? replicas : [])])])
}
