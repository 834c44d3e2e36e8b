/**
 * Who serves each shard, by the nodes' own word on the bus; and what was lost by it, found on the
 * nodes themselves: what the one that was replaced held and its successor does not, and what it has
 * taken since then.
 */

import { LiveProblem } from '../environment/problem.ts'
import type { BusMessage } from '../held/bus-message.ts'
import type { HeldMachine, HeldRecord } from '../held/held-machine.ts'
import type { Sync } from '../held/replica-stream.ts'
import type { LiveRecorder } from '../host/recorder.ts'
import { isProbe } from './cluster-probe.ts'
import type { ClusterNews, LiveCluster } from './live-cluster.ts'

export type NodeRecords = ReadonlyMap<string, HeldRecord>

const nothing: NodeRecords = new Map()

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
  /** What nodes held when they stopped to execute anything, until it is known what became of it. */
  readonly #noted = new Map<HeldMachine, NodeRecords>()
  /**
   * They have died, are back with nothing, and serve nobody yet: the others may still elect a
   * replica, which has the data.
   */
  readonly #empty = new Set<HeldMachine>()
  /** Replicas that have dropped what they held for the nothing of one of those. */
  readonly #emptied = new Set<HeldMachine>()
  /** They stood still, and have gone on. */
  readonly #wentOn = new Set<HeldMachine>()
  /** How often each has dropped its data for another one's. */
  readonly #resyncs = new Map<HeldMachine, number>()
  /**
   * What each replica held when it stood for election last, and in which epoch: nobody has written
   * to it by then.
   */
  readonly #stood = new Map<HeldMachine, { readonly epoch: number; readonly held: Promise<NodeRecords> }>()
  readonly #reading = new Map<HeldMachine, Promise<unknown>>()
  /**
   * The shard that a client wrote to last: a fault of "the primary" strikes where work is under
   * way.
   */
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

  /**
   * A successor has a newer epoch; who was replaced claims the slots by an older one until it hears
   * of that.
   */
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

  /**
   * One after the other: a node that serves nobody tells of its records only while it is asked for
   * them.
   */
  #recordsOf(node: HeldMachine): Promise<NodeRecords> {
    const before = this.#reading.get(node) ?? Promise.resolve()
    const unread = (error: Error): never => {
      if (error instanceof LiveProblem) throw error
      throw new LiveProblem(`the node ${node.name}`, `its data could not be read (${error.message}); try again`)
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
    const sentence = `the other primaries elect ${node.name} instead of ${old.name}`
    this.recorder.fact({ type: 'topology', node: node.name, what: 'promoted', other: old.name, sentence })
    this.#reportLost(old, node).catch((error: unknown) => {
      // A fault that kills it meanwhile takes its answer along.
      if (old.up && node.up) this.failed(error)
    })
    // Its loss has been read by now.
    this.#forget(old)
  }

  /** It is known what became of what it held. */
  #forget(lead: HeldMachine): void {
    this.#noted.delete(lead)
    this.#empty.delete(lead)
    this.#wentOn.delete(lead)
    for (const node of this.cluster.shardOf(lead)) this.#emptied.delete(node)
  }

  /** A successor that had dropped its data before has not lost it by the failover. */
  async #reportLost(old: HeldMachine, node: HeldMachine): Promise<void> {
    const cause = this.#emptied.has(node) ? 'restart' : 'failover'
    const stood = this.#stood.get(node)?.held ?? this.#recordsOf(node)
    const [before, after] = await Promise.all([this.#heldBy(old), stood])
    const nowMs = Date.now()
    const redisKeys = [...before].flatMap(([key, { content, expireAtMs }]) => {
      const isOver = expireAtMs >= 0 && expireAtMs <= nowMs
      return isProbe(key) || isOver || after.get(key)?.content === content ? [] : [key]
    })
    if (redisKeys.length > 0) this.#lost(old, cause, redisKeys)
  }

  /** When it is replaced. */
  async #heldBy(old: HeldMachine): Promise<NodeRecords> {
    const noted = this.#noted.get(old)
    if (noted !== undefined && !this.#wentOn.has(old)) return noted
    const resyncs = this.#resyncs.get(old)
    const held = await this.#recordsOf(old)
    // It follows already: what it holds is its successor's.
    return this.#resyncs.get(old) === resyncs ? held : (noted ?? nothing)
  }

  /** By its own word, a key of that node has changed. */
  changed(node: HeldMachine, event: string, key: string): void {
    // One that has just been started serves nobody for two seconds, so that the others can replace
    // it; the probe is among the first.
    if (this.#empty.has(node)) this.#servesEmpty(node)
    if (this.#wentOn.has(node)) this.#changedSince(node, key)
    if (isProbe(key) || harmless.has(event)) return
    if (this.leads(node)) this.#atHand = this.cluster.placeOf(node).shard
    else if (this.#replaced.has(node)) this.#lost(node, 'split-brain', [key])
  }

  /** Nobody took its place: what it held is gone. */
  #servesEmpty(node: HeldMachine): void {
    const redisKeys = [...(this.#noted.get(node)?.keys() ?? [])].filter((key) => !isProbe(key))
    this.#forget(node)
    this.#lost(node, 'restart', redisKeys)
  }

  #changedSince(node: HeldMachine, key: string): void {
    const noted = new Map(this.#noted.get(node))
    noted.delete(key)
    this.#noted.set(node, noted)
  }

  synced(name: string, how: Sync): void {
    const node = this.cluster.named(name)
    this.#replaced.delete(node)
    if (how === 'partial') return
    this.#resyncs.set(node, (this.#resyncs.get(node) ?? 0) + 1)
    if (this.#empty.has(this.#leads[this.cluster.placeOf(node).shard]!)) {
      this.#emptied.add(node)
      this.#stood.delete(node)
    }
    const sentence = `${name} replaces its data by its primary's`
    this.recorder.fact({ type: 'topology', node: name, what: 'resynced', sentence })
  }

  /**
   * It is about to execute nothing any more. What it held when it died counts as long as it has
   * served nobody since.
   */
  async note(node: HeldMachine): Promise<void> {
    if (!node.up || node.frozen || this.#empty.has(node)) return
    const held = await this.#recordsOf(node)
    this.#wentOn.delete(node)
    this.#noted.set(node, held)
  }

  /**
   * It has died, and comes back with nothing. Where it is not replaced, that is the shard's data
   * once it serves.
   */
  cameBackEmpty(node: HeldMachine): void {
    this.#wentOn.delete(node)
    if (this.leads(node)) this.#empty.add(node)
    else this.#noted.delete(node)
  }

  /** It executes what has waited. The others may be about to replace it. */
  goesOn(node: HeldMachine): void {
    if (this.#empty.has(node)) return
    if (this.leads(node)) this.#wentOn.add(node)
    else this.#noted.delete(node)
  }

  #lost({ name }: HeldMachine, cause: 'restart' | 'failover' | 'split-brain', redisKeys: readonly string[]): void {
    // Whoever wrote before it died, or was missed, had its answer by then; who met it afterwards
    // may have given up.
    const acknowledged = cause === 'split-brain' ? {} : ({ acknowledged: true } as const)
    this.recorder.fact({ type: 'data-lost', node: name, cause, redisKeys, ...acknowledged })
  }
}
