/**
 * Who serves each shard, by the nodes' own word on the bus; and what was lost by it, found on the nodes themselves: what the one that
 * was replaced held and its successor does not, and what it has taken since then.
 */
import type { BusMessage } from '../held/bus-message.ts'
import type { HeldMachine, HeldRecord } from '../held/held-machine.ts'
import type { Sync } from '../held/replica-stream.ts'
import { LiveProblem } from '../problem.ts'
import type { LiveRecorder } from '../recorder.ts'
import { isProbe } from './cluster-probe.ts'
import type { ClusterNews, LiveCluster } from './live-cluster.ts'

export type NodeRecords = ReadonlyMap<string, HeldRecord>

/** What a server does by itself, and no client; and what changes no record. */
const harmless = new Set(['expired', 'evicted', 'expire'])

type Cluster = Pick<LiveCluster, 'nodes' | 'named' | 'placeOf' | 'shardOf'>

export class ClusterRoles implements ClusterNews {
  /** By shard. */
  readonly #leads: HeldMachine[] = []
  /** By shard: the epoch by which its slots are claimed. */
  readonly #epochs: number[] = []
  /** They have been replaced, and take what clients send them until they follow. */
  readonly #replaced = new Set<HeldMachine>()
  /** What nodes held that execute nothing any more, until they do. */
  readonly #noted = new Map<HeldMachine, NodeRecords>()
  /** What each replica held when it stood for election last, and in which epoch: nobody has written to it by then. */
  readonly #stood = new Map<HeldMachine, { readonly epoch: number; readonly held: Promise<NodeRecords> }>()
  readonly #reading = new Map<HeldMachine, Promise<unknown>>()
  /** The shard that a client wrote to last: a fault of "the primary" strikes where work is under way. */
  #atHand = 0

  constructor(
    private readonly cluster: Cluster,
    private readonly recorder: Pick<LiveRecorder, 'fact'>,
    private readonly failed: (error: unknown) => void,
  ) {
    for (const node of cluster.nodes) {
      const { shard, leads } = cluster.placeOf(node)
      if (leads) this.#leads[shard] = node
      this.#epochs[shard] = shard + 1
    }
  }

  /** Of the shard at hand. */
  get primary(): HeldMachine {
    return this.#leads[this.#atHand]!
  }

  /** Those of the shard at hand first. */
  get nodes(): readonly HeldMachine[] {
    const atHand = this.cluster.shardOf(this.primary)
    return [...atHand, ...this.cluster.nodes.filter((node) => !atHand.includes(node))]
  }

  leads(node: HeldMachine): boolean {
    return this.#leads.includes(node)
  }

  /** A successor has a newer epoch; who was replaced claims the slots by an older one until it hears of that. */
  said(name: string, { stands, primary, servesSlots, configEpoch }: BusMessage): void {
    const node = this.cluster.named(name)
    if (stands !== null) return this.#stands(node, stands)
    if (primary !== null || !servesSlots) return
    const { shard } = this.cluster.placeOf(node)
    if (configEpoch <= this.#epochs[shard]!) return
    this.#epochs[shard] = configEpoch
    if (!this.leads(node)) this.#promoted(node, shard)
  }

  /** It asks each of the others. */
  #stands(node: HeldMachine, epoch: number): void {
    if (this.#stood.get(node)?.epoch === epoch) return
    const held = this.#recordsOf(node)
    held.catch(() => {})
    this.#stood.set(node, { epoch, held })
  }

  /** One after the other: a node that serves nobody tells of its records only while it is asked for them. */
  #recordsOf(node: HeldMachine): Promise<NodeRecords> {
    const before = this.#reading.get(node) ?? Promise.resolve()
    const unread = (error: Error): never => {
      if (error instanceof LiveProblem) throw error
      throw new LiveProblem(`the node ${node.name}`, `what it holds could not be read (${error.message}); try again`)
    }
    const read = before.then(() => node.records().catch(unread))
    this.#reading.set(
      node,
      read.catch(() => {}),
    )
    return read
  }

  #promoted(node: HeldMachine, shard: number): void {
    const old = this.#leads[shard]!
    this.#leads[shard] = node
    this.#replaced.delete(node)
    this.#replaced.add(old)
    const sentence = `the other primaries elect ${node.name} in place of ${old.name}`
    this.recorder.fact({ type: 'topology', node: node.name, what: 'promoted', other: old.name, sentence })
    this.#tellLost(old, node).catch((error: unknown) => {
      // A fault that kills it meanwhile takes its answer along.
      if (old.up && node.up) this.failed(error)
    })
  }

  async #tellLost(old: HeldMachine, node: HeldMachine): Promise<void> {
    const stood = this.#stood.get(node)?.held ?? this.#recordsOf(node)
    const [before, after] = await Promise.all([this.#noted.get(old) ?? this.#recordsOf(old), stood])
    const nowMs = Date.now()
    const redisKeys = [...before].flatMap(([key, { content, expireAtMs }]) => {
      const isOver = expireAtMs >= 0 && expireAtMs <= nowMs
      return isProbe(key) || isOver || after.get(key)?.content === content ? [] : [key]
    })
    if (redisKeys.length > 0) this.#lost(old, 'failover', redisKeys)
  }

  /** By its own word, a key of that node has changed. */
  changed(node: HeldMachine, event: string, key: string): void {
    if (isProbe(key) || harmless.has(event)) return
    if (this.leads(node)) this.#atHand = this.cluster.placeOf(node).shard
    else if (this.#replaced.has(node)) this.#lost(node, 'split-brain', [key])
  }

  synced(name: string, how: Sync): void {
    this.#replaced.delete(this.cluster.named(name))
    if (how === 'partial') return
    const sentence = `${name} drops its data for its primary's`
    this.recorder.fact({ type: 'topology', node: name, what: 'resynced', sentence })
  }

  /** It is about to execute nothing any more. */
  async note(node: HeldMachine): Promise<void> {
    if (node.up && !node.frozen) this.#noted.set(node, await this.#recordsOf(node))
  }

  /** It has died, and comes back with nothing. Where it was not replaced, that is the shard's data now. */
  cameBackEmpty(node: HeldMachine): void {
    const redisKeys = [...(this.#noted.get(node)?.keys() ?? [])].filter((key) => !isProbe(key))
    this.#noted.delete(node)
    if (this.leads(node)) this.#lost(node, 'restart', redisKeys)
  }

  /** It executes what has waited. */
  goesOn(node: HeldMachine): void {
    this.#noted.delete(node)
  }

  #lost({ name }: HeldMachine, cause: 'restart' | 'failover' | 'split-brain', redisKeys: readonly string[]): void {
    // Whoever wrote before it died, or was missed, had its answer by then; who met it afterwards may have given up.
    const acknowledged = cause === 'split-brain' ? {} : ({ acknowledged: true } as const)
    this.recorder.fact({ type: 'data-lost', node: name, cause, redisKeys, ...acknowledged })
  }
}
