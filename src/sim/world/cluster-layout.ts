import type { NodesFile, SavedNode } from 'redis-sim/cluster'
import type { RedisPlan } from '../../contract/api/plan.ts'
import { firstSlotOf, nodeId, nodeName } from '../../run/cluster-nodes.ts'
import type { MachineAddress } from './server-machine.ts'

/** A server of a Cluster, with the `nodes.conf` that its operator wrote. */
export interface ClusterServer {
  readonly address: MachineAddress
  readonly shard: number
  readonly nodes: NodesFile
}

/** The servers shard by shard, each primary before its replicas. */
export function clusterServers(plan: RedisPlan, shards: number, port: number): ClusterServer[] {
  const found: { address: MachineAddress; shard: number; saved: SavedNode }[] = []
  for (let shard = 0; shard < shards; shard++) {
    const from = firstSlotOf(shard, shards)
    const to = firstSlotOf(shard + 1, shards) - 1
    for (let at = 0; at <= plan.replicas; at++) {
      const address = { name: nodeName(shard, at), host: `10.0.0.${found.length + 1}`, port }
      const leads = at === 0
      const saved = {
        id: nodeId(shard, at),
        host: address.host,
        port,
        primary: leads ? null : nodeId(shard, 0),
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
