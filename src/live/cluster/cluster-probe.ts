/** Writes to each shard of a Cluster again and again, as clients that follow it would: for how long did one take none? */
import { firstSlotOf } from '../../run/cluster-nodes.ts'
import type { HeldMachine } from '../held/held-machine.ts'

const everyMs = 20
const prefix = 'onceproof-probe'

/** The harness's own keys are nobody's records. */
export const isProbe = (key: string): boolean => key.startsWith(prefix)

interface ProbedShard {
  readonly nodes: readonly HeldMachine[]
  readonly key: string
  lastMs: number
}

export class ClusterProbe {
  /** The longest stretch in which some shard took no write. */
  withoutPrimaryMs = 0
  #goesOn = true
  #loop: Promise<void> = Promise.resolve()
  readonly #asked = new Set<HeldMachine>()

  /** `shards`: the nodes of each, of which the first one serves as yet. */
  start(shards: readonly (readonly HeldMachine[])[]): void {
    this.#loop = this.#probe(shards)
  }

  async #probe(shards: readonly (readonly HeldMachine[])[]): Promise<void> {
    const nowMs = () => performance.now()
    const keys = await keysOf(shards)
    const probed = shards.map((nodes, at): ProbedShard => ({ nodes, key: keys[at]!, lastMs: nowMs() }))
    while (this.#goesOn) {
      for (const shard of probed) for (const node of shard.nodes) void this.#ask(node, shard, nowMs)
      await new Promise((resolve) => setTimeout(resolve, everyMs))
    }
  }

  /** One that stands still is asked once, and answers when it goes on. */
  async #ask(node: HeldMachine, shard: ProbedShard, nowMs: () => number): Promise<void> {
    if (!node.up || this.#asked.has(node)) return
    this.#asked.add(node)
    const took = await node.call('SET', shard.key, '1', 'PX', '60000').catch(() => null)
    this.#asked.delete(node)
    if (took !== 'OK' || !this.#goesOn) return
    this.withoutPrimaryMs = Math.max(this.withoutPrimaryMs, nowMs() - shard.lastMs)
    shard.lastMs = nowMs()
  }

  async stop(): Promise<void> {
    this.#goesOn = false
    await this.#loop
  }
}

/** A key for each shard. */
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
