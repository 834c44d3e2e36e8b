/**
 * Writes to each shard of a Cluster periodically, as a client would, to measure the longest time
 * without an accepted write.
 */
import { firstSlotOf } from '../../run/cluster-nodes.ts'
import type { HeldMachine } from '../held/held-machine.ts'

const everyMs = 20
const prefix = 'onceproof-probe'

/** True for keys of the harness, which are not records of a layer. */
export const isProbe = (key: string): boolean => key.startsWith(prefix)

interface ProbedShard {
  readonly nodes: readonly HeldMachine[]
  readonly key: string
  /** The time of the last accepted write, at first that of `start`; null before `start`. */
  lastMs: number | null
}

export class ClusterProbe {
  #longestMs = 0
  #shards: readonly ProbedShard[] = []
  #goesOn = true
  #loop: Promise<void> = Promise.resolve()
  readonly #pending = new Set<HeldMachine>()

  /** Chooses the keys to write. `shards`: the nodes of each shard, all of which are up. */
  async open(shards: readonly (readonly HeldMachine[])[]): Promise<void> {
    const keys = await keysOf(shards)
    this.#shards = shards.map((nodes, at) => ({ nodes, key: keys[at]!, lastMs: null }))
  }

  /** The longest time so far in which a shard accepted no write, in milliseconds. */
  get withoutPrimaryMs(): number {
    const nowMs = performance.now()
    return Math.max(this.#longestMs, ...this.#shards.map(({ lastMs }) => nowMs - (lastMs ?? nowMs)))
  }

  start(): void {
    for (const shard of this.#shards) shard.lastMs = performance.now()
    this.#loop = this.#probe()
  }

  async #probe(): Promise<void> {
    while (this.#goesOn) {
      for (const shard of this.#shards) for (const node of shard.nodes) void this.#ask(node, shard)
      await new Promise((resolve) => setTimeout(resolve, everyMs))
    }
  }

  /** A frozen node gets only one request, which it answers when it resumes. */
  async #ask(node: HeldMachine, shard: ProbedShard): Promise<void> {
    if (!node.up || this.#pending.has(node)) return
    this.#pending.add(node)
    const took = await node.call('SET', shard.key, '1', 'PX', '60000').catch(() => null)
    this.#pending.delete(node)
    if (took !== 'OK' || !this.#goesOn) return
    this.#longestMs = this.withoutPrimaryMs
    shard.lastMs = performance.now()
  }

  async stop(): Promise<void> {
    this.#goesOn = false
    await this.#loop
  }
}

/** Finds a key for each shard. */
async function keysOf(shards: readonly (readonly HeldMachine[])[]): Promise<string[]> {
  const keys: string[] = []
  for (let n = 0; Object.keys(keys).length < shards.length; n++) {
    const key = `${prefix}-${n}`
    const slot = Number(await shards[0]![0]!.call('CLUSTER', 'KEYSLOT', key))
    const shard = shards.findLastIndex((_, at) => firstSlotOf(at, shards.length) <= slot)
    keys[shard] ??= key
  }
  return keys
}
