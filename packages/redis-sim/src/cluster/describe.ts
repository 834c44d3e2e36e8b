/** Replies of CLUSTER NODES, SLOTS, SHARDS, INFO and LINKS. Source: cluster.c of Redis 7.0. */
import { MapReply, type Reply } from '../resp/reply.ts'
import { type BusLink, busPortOffset, type InboundLink } from './bus-link.ts'
import type { Cluster } from './cluster.ts'
import type { ClusterNode } from './cluster-node.ts'

export function describeNode({ myself, slots }: Cluster, node: ClusterNode): string {
  const { id, host, port, primary, pingSentMs, pongReceivedMs } = node
  const flags = [
    ...(node === myself ? ['myself'] : []),
    node.isPrimary ? 'master' : 'slave',
    ...(node.failure === null ? [] : [node.failure === 'pfail' ? 'fail?' : 'fail']),
    ...(node.noFailover ? ['nofailover'] : []),
  ]
  const epoch = (primary ?? node).configEpoch
  const state = node === myself || node.link !== null ? 'connected' : 'disconnected'
  const served = node.slotCount === 0 ? '' : ` ${slots.text(node).replaceAll(',', ' ')}`
  const address = `${host}:${port}@${port + busPortOffset}`
  return `${id} ${address} ${flags.join(',')} ${primary?.id ?? '-'} ${pingSentMs} ${pongReceivedMs} ${epoch} ${state}${served}`
}

export function describeNodes(cluster: Cluster): string {
  return cluster.nodes.map((node) => `${describeNode(cluster, node)}\n`).join('')
}

function offsetOf({ myself, server }: Cluster, node: ClusterNode): number {
  return node === myself ? server.replicationOffset : node.replicationOffset
}

function place({ host, port, id }: ClusterNode): Reply {
  return [host, port, id, new MapReply([])]
}

/** CLUSTER SLOTS. Omits replicas that failed or never received data. */
export function describeSlots(cluster: Cluster): Reply {
  return cluster.slots.ranges().map(({ from, to, node }) => {
    const replicas = node.replicas.filter((replica) => replica.failure !== 'fail' && offsetOf(cluster, replica) !== 0)
    return [from, to, ...[node, ...replicas].map(place)]
  })
}

export function describeShards(cluster: Cluster): Reply {
  const primaries = cluster.nodes.filter(({ isPrimary }) => isPrimary)
  return primaries.map((primary) => {
    const slots = cluster.slots.rangesOf(primary).flat()
    const nodes = [primary, ...primary.replicas].map((node) => describeInShard(cluster, node))
    return new MapReply(['slots', slots, 'nodes', nodes])
  })
}

function describeInShard(cluster: Cluster, node: ClusterNode): Reply {
  const offset = offsetOf(cluster, node)
  const waiting = !node.isPrimary && offset === 0
  return new MapReply([
    ...['id', node.id, 'port', node.port, 'ip', node.host, 'endpoint', node.host],
    ...['role', node.isPrimary ? 'master' : 'replica', 'replication-offset', offset],
    ...['health', node.failure === 'fail' ? 'fail' : waiting ? 'loading' : 'online'],
  ])
}

export function describeCluster(cluster: Cluster): string {
  const { myself, nodes, slots, state, size, currentEpoch } = cluster
  const count = (failure: ClusterNode['failure']) =>
    nodes.reduce((sum, node) => sum + (node.failure === failure ? node.slotCount : 0), 0)
  const assigned = 16384 - slots.unowned
  const lines = [
    ...[`cluster_state:${state}`, `cluster_slots_assigned:${assigned}`, `cluster_slots_ok:${count(null)}`],
    ...[`cluster_slots_pfail:${count('pfail')}`, `cluster_slots_fail:${count('fail')}`],
    ...[`cluster_known_nodes:${nodes.length}`, `cluster_size:${size}`, `cluster_current_epoch:${currentEpoch}`],
    `cluster_my_epoch:${(myself.primary ?? myself).configEpoch}`,
  ]
  const counts = cluster.sent.lines('sent') + cluster.received.lines('received')
  return `${lines.join('\r\n')}\r\n${counts}total_cluster_links_buffer_limit_exceeded:0\r\n`
}

/** CLUSTER LINKS. Buffers are not simulated, so their sizes are 0. */
export function describeLinks(cluster: Cluster): Reply {
  const links = cluster.others.flatMap((node) => [
    ...(node.link === null ? [] : [describeLink('to', node, node.link)]),
    ...(node.inbound === null ? [] : [describeLink('from', node, node.inbound)]),
  ])
  return links
}

function describeLink(direction: 'to' | 'from', { id }: ClusterNode, { createdMs }: BusLink | InboundLink): Reply {
  return new MapReply([
    ...['direction', direction, 'node', id, 'create-time', createdMs, 'events', 'r'],
    ...['send-buffer-allocated', 0, 'send-buffer-used', 0],
  ])
}
