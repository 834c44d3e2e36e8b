/** The names and slots of the nodes of a Cluster, the same in the simulator and on real servers. */

export const slotCount = 16_384

/** The slots are distributed evenly. */
export const firstSlotOf = (shard: number, shards: number): number => Math.floor((shard * slotCount) / shards)

const suffixOf = (shard: number, at: number): string => `${shard + 1}${String.fromCharCode(97 + at)}`

/** Shard by shard, the primary first: `redis-1a`, `redis-1b`, … */
export const nodeName = (shard: number, at: number): string => `redis-${suffixOf(shard, at)}`

/** 40 characters long, as Redis requires. */
export const nodeId = (shard: number, at: number): string => suffixOf(shard, at).repeat(20)
