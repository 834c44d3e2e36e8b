/**
 * The names and slots of the nodes of a Cluster. They are the same in the simulator and on real
 * servers.
 */

export const slotCount = 16_384

/** The first slot of a shard. The slots are distributed evenly. */
export const firstSlotOf = (shard: number, shards: number): number => Math.floor((shard * slotCount) / shards)

const suffixOf = (shard: number, at: number): string => `${shard + 1}${String.fromCharCode(97 + at)}`

/**
 * The name of a node, for example `redis-1a` for the primary of the first shard and `redis-1b` for
 * its first replica.
 */
export const nodeName = (shard: number, at: number): string => `redis-${suffixOf(shard, at)}`

/** The id of a node, which has 40 characters, as Redis requires. */
export const nodeId = (shard: number, at: number): string => suffixOf(shard, at).repeat(20)
