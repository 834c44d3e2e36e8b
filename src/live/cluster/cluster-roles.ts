/**
 * Tracks the primary of each shard by the nodes' messages on the bus, and determines lost data from
 * the nodes themselves: records of a replaced primary that its successor lacks, and writes that the
 * replaced primary accepts later.
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

/** Notifications about keys that a server causes without a client, or that change no record. */
const harmless = new Set(['expired', 'evicted', 'expire'])

type Cluster = Pick<LiveCluster, 'nodes' | 'named' | 'placeOf' | 'shardOf'>

export class ClusterRoles implements ClusterNews {
  /** The primary of each shard. */
  readonly #leads: HeldMachine[] = []
  /** The config epoch of the claim to the slots of each shard. */
  readonly #epochs: number[] = []
  /** Nodes that have been replaced and accept writes until they follow their successors. */
  readonly #replaced = new Set<HeldMachine>()
  /**
   * The records of a node when it was killed or frozen, until it is known whether they are lost.
   */
  readonly #noted = new Map<HeldMachine, NodeRecords>()
  /**
   * Nodes that died, restarted empty and do not serve yet. The other nodes may still elect a
   * replica that has the data.
   */
  readonly #empty = new Set<HeldMachine>()
  /** Replicas that dropped their data in a sync from an empty primary. */
  readonly #emptied = new Set<HeldMachine>()
  /** Nodes that were frozen and have resumed. */
  readonly #wentOn = new Set<HeldMachine>()
  /** The number of full syncs that have replaced the data of each node. */
  readonly #resyncs = new Map<HeldMachine, number>()
  /**
   * The records of each replica at its last election, and the epoch of the election. No client has
   * written to the replica before its election.
   */
  readonly #stood = new Map<HeldMachine, { readonly epoch: number; readonly held: Promise<NodeRecords> }>()
  readonly #reading = new Map<HeldMachine, Promise<unknown>>()
  /**
   * The shard to which a client wrote last. Faults of "the primary" strike this shard, because work
   * is in progress there.
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

  /** The primary of the shard to which a client wrote last. */
  get primary(): HeldMachine {
    return this.#leads[this.#atHand]!
  }

  /** All nodes; those of the shard to which a client wrote last come first. */
  get nodes(): readonly HeldMachine[] {
    const atHand = this.cluster.shardOf(this.primary)
    return [...atHand, ...this.cluster.nodes.filter((node) => !atHand.includes(node))]
  }

  leads(node: HeldMachine): boolean {
    return this.#leads.includes(node)
  }

  /**
   * A successor has a newer epoch. A replaced node claims the slots with an older epoch until it
   * learns of its replacement.
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

  /** A node sends its vote request to each other node, so only the first request is noted. */
  #stands(node: HeldMachine, epoch: number): void {
    if (this.#stood.get(node)?.epoch === epoch) return
    const held = this.#recordsOf(node)
    held.catch(() => {})
    this.#stood.set(node, { epoch, held })
  }

  /**
   * Reads a node's records. A node is read by one call at a time, because a read temporarily
   * changes a setting of the node.
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
      // A failed read is ignored if a fault has killed one of the nodes meanwhile.
      if (old.up && node.up) this.failed(error)
    })
    // The old primary's records have been requested by now.
    this.#forget(old)
  }

  /** Forgets the noted records of a node, once it is known whether they are lost. */
  #forget(lead: HeldMachine): void {
    this.#noted.delete(lead)
    this.#empty.delete(lead)
    this.#wentOn.delete(lead)
    for (const node of this.cluster.shardOf(lead)) this.#emptied.delete(node)
  }

  /** If the successor had already dropped its data, a restart lost them, not the failover. */
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

  /** The records of the old primary at the time of its replacement. */
  async #heldBy(old: HeldMachine): Promise<NodeRecords> {
    const noted = this.#noted.get(old)
    if (noted !== undefined && !this.#wentOn.has(old)) return noted
    const resyncs = this.#resyncs.get(old)
    const held = await this.#recordsOf(old)
    // If the node resynchronized meanwhile, it already follows its successor and has the
    // successor's records.
    return this.#resyncs.get(old) === resyncs ? held : (noted ?? nothing)
  }

  /** Handles a node's report that a key has changed. */
  changed(node: HeldMachine, event: string, key: string): void {
    // A restarted primary refuses writes for two seconds, so that another node can replace it. The
    // probe's write is among the first that it accepts.
    if (this.#empty.has(node)) this.#servesEmpty(node)
    if (this.#wentOn.has(node)) this.#changedSince(node, key)
    if (isProbe(key) || harmless.has(event)) return
    if (this.leads(node)) this.#atHand = this.cluster.placeOf(node).shard
    else if (this.#replaced.has(node)) this.#lost(node, 'split-brain', [key])
  }

  /** The node was not replaced before it served again, so its records are lost. */
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
   * Called when the node is about to be killed or frozen. If it restarted empty and has not served
   * since, the records from before its death stay noted.
   */
  async note(node: HeldMachine): Promise<void> {
    if (!node.up || node.frozen || this.#empty.has(node)) return
    const held = await this.#recordsOf(node)
    this.#wentOn.delete(node)
    this.#noted.set(node, held)
  }

  /**
   * Called when the node has died and restarts empty. If it is not replaced, the shard is empty
   * once the node serves.
   */
  cameBackEmpty(node: HeldMachine): void {
    this.#wentOn.delete(node)
    if (this.leads(node)) this.#empty.add(node)
    else this.#noted.delete(node)
  }

  /**
   * Called when the node resumes. It executes the waiting commands, although the other nodes may be
   * about to replace it.
   */
  goesOn(node: HeldMachine): void {
    if (this.#empty.has(node)) return
    if (this.leads(node)) this.#wentOn.add(node)
    else this.#noted.delete(node)
  }

  #lost({ name }: HeldMachine, cause: 'restart' | 'failover' | 'split-brain', redisKeys: readonly string[]): void {
    // Clients received the replies to writes that a restart or a failover loses later. Clients of a
    // replaced node may have timed out.
    const acknowledged = cause === 'split-brain' ? {} : ({ acknowledged: true } as const)
    this.recorder.fact({ type: 'data-lost', node: name, cause, redisKeys, ...acknowledged })
  }
}
