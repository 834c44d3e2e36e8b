import type { RedisPlan } from '../../contract/plan.ts'
import { slotCount } from '../redis/cluster/key-slot.ts'
import type { NodesFile, SavedNode } from '../redis/cluster/nodes-file.ts'
import type { MachineAddress } from './server-machine.ts'

/** A server of a Cluster, with the `nodes.conf` that its operator wrote. */
export interface ClusterServer {
  readonly address: MachineAddress
  readonly shard: number
  readonly nodes: NodesFile
}

/** Shard by shard, the primary first: `redis-1a`, `redis-1b`, … The slots are shared out evenly. */
export function clusterServers(plan: RedisPlan, shards: number, port: number): ClusterServer[] {
  const found: { address: MachineAddress; shard: number; saved: SavedNode }[] = []
  for (let shard = 0; shard < shards; shard++) {
    const from = firstSlotOf(shard, shards)
    const to = firstSlotOf(shard + 1, shards) - 1
    for (let at = 0; at <= plan.replicas; at++) {
      const letter = String.fromCharCode(97 + at)
      const address = { name: `redis-${shard + 1}${letter}`, host: `10.0.0.${found.length + 1}`, port }
      const leads = at === 0
      const saved = {
        id: idOf(shard, at),
        host: address.host,
        port,
        primary: leads ? null : idOf(shard, 0),
        configEpoch: leads ? shard + 1 : 0,
        slots: leads ? [[from, to] as const] : [],
      }
      found.push({ address, shard, saved })
    }
  }
  const all = found.map(({ saved }) => saved)
  return found.map(({ address, shard, saved }) => {
    return { address, shard, nodes: { myId: saved.id, currentEpoch: shards, lastVoteEpoch: 0, nodes: all } }
  })
}

export const firstSlotOf = (shard: number, shards: number): number => Math.floor((shard * slotCount) / shards)

function idOf(shard: number, at: number): string {
  return `${shard + 1}${String.fromCharCode(97 + at)}`.repeat(20)
}
