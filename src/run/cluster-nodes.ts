/** How the nodes of a Cluster are laid out, in the simulator as on real servers. */

export const slotCount = 16_384

/** The slots are shared out evenly. */
export const firstSlotOf = (shard: number, shards: number): number => Math.floor((shard * slotCount) / shards)

const suffixOf = (shard: number, at: number): string => `${shard + 1}${String.fromCharCode(97 + at)}`

/** Shard by shard, the primary first: `redis-1a`, `redis-1b`, … */
export const nodeName = (shard: number, at: number): string => `redis-${suffixOf(shard, at)}`

/** As long as Redis wants it. */
export const nodeId = (shard: number, at: number): string => suffixOf(shard, at).repeat(20)
