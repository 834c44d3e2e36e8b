import type { RedisPlan } from '../../contract/plan.ts'
import { slotCount } from '../redis/cluster/key-slot.ts'
import type { NodesFile, SavedNode } from '../redis/cluster/nodes-file.ts'
import type { Place } from './machine.ts'

/** A server of a Cluster, and what its operator has told it. */
export interface ClusterPlace {
  readonly place: Place
  readonly shard: number
  readonly nodes: NodesFile
}

/** Shard by shard, the primary first: `redis-1a`, `redis-1b`, … The slots are shared out evenly. */
export function clusterPlaces(plan: RedisPlan, shards: number, port: number): ClusterPlace[] {
  const found: { place: Place; shard: number; saved: SavedNode }[] = []
  for (let shard = 0; shard < shards; shard++) {
    const from = Math.floor((shard * slotCount) / shards)
    const to = Math.floor(((shard + 1) * slotCount) / shards) - 1
    for (let at = 0; at <= plan.replicas; at++) {
      const letter = String.fromCharCode(97 + at)
      const place = { name: `redis-${shard + 1}${letter}`, address: `10.0.0.${found.length + 1}`, port }
      const leads = at === 0
      const saved = {
        id: idOf(shard, at),
        host: place.address,
        port,
        primary: leads ? null : idOf(shard, 0),
        configEpoch: leads ? shard + 1 : 0,
        slots: leads ? [[from, to] as const] : [],
      }
      found.push({ place, shard, saved })
    }
  }
  const all = found.map(({ saved }) => saved)
  return found.map(({ place, shard, saved }) => {
    return { place, shard, nodes: { myId: saved.id, currentEpoch: shards, lastVoteEpoch: 0, nodes: all } }
  })
}

function idOf(shard: number, at: number): string {
  return `${shard + 1}${String.fromCharCode(97 + at)}`.repeat(20)
}
