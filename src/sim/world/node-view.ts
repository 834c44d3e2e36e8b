import type { Cluster, ClusterNode } from 'redis-sim/cluster'
import type { NodeView } from '../../contract/results/step.ts'
import { firstSlotOf } from '../../run/cluster-nodes.ts'

/**
 * The view of a Cluster node from which it answers its clients (CLUSTER SLOTS, redirections,
 * CLUSTERDOWN), with server names.
 */
export function nodeView(cluster: Cluster, shards: number, nameOf: (host: string) => string): NodeView {
  const { myself, nodes, slots, server, state } = cluster
  const name = ({ host }: ClusterNode): string => nameOf(host)
  const hasData = (node: ClusterNode): boolean =>
    (node === myself ? server.replicationOffset : node.replicationOffset) !== 0
  return {
    state,
    shards: Array.from({ length: shards }, (_, shard) => {
      const owner = slots.owner(firstSlotOf(shard, shards))
      const reported = owner?.replicas.filter((replica) => replica.failure !== 'fail' && hasData(replica)) ?? []
      return { owner: owner === null ? null : name(owner), replicas: reported.map(name) }
    }),
    failing: nodes.filter(({ failure }) => failure === 'fail').map(name),
  }
}
