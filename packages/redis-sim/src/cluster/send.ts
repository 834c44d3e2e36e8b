/**
 * Messages that a node sends on the bus. Source: clusterSendPing, clusterBroadcastPong and related
 * functions of Redis 7.0.
 */
import type { BusLink, InboundLink } from './bus-link.ts'
import { type Gossip, type Header, type MessageKind, repeats } from './bus-message.ts'
import type { Cluster } from './cluster.ts'
import type { ClusterNode } from './cluster-node.ts'

/** Number of nodes in the gossip section, besides unreachable nodes. */
const gossipCount = 3

function headerOf(cluster: Cluster): Header {
  const { myself, slots, currentEpoch, server } = cluster
  const leader = myself.primary ?? myself
  return {
    sender: myself.id,
    primary: myself.primary?.id ?? '',
    noFailover: server.config.clusterReplicaNoFailover,
    currentEpoch,
    configEpoch: leader.configEpoch,
    slots: slots.text(leader),
    offset: server.replicationOffset,
  }
}

function send(
  cluster: Cluster,
  link: BusLink | InboundLink | null,
  kind: MessageKind,
  rest: readonly string[] = [],
): void {
  if (link === null) return
  cluster.sent.add(kind)
  link.send({ kind, ...headerOf(cluster), gossip: none, rest })
}

/**
 * Sends a ping or pong. If the header equals the previous one on this connection and the message
 * reports no failure, the message skips the network when possible (`Wires`).
 */
function sendHeartbeat(cluster: Cluster, link: BusLink | InboundLink, kind: 'ping' | 'pong'): void {
  cluster.sent.add(kind)
  const header = headerOf(cluster)
  const { said } = link
  const reported = gossip(cluster)
  const message = { kind, ...header, gossip: reported, rest: none }
  link.said = header
  const isSteady = said !== null && repeats(header, said) && reported.every(({ failure }) => failure !== 'pfail')
  if (!isSteady || !link.handOver(message)) link.send(message)
}

const none: readonly never[] = []

function broadcast(cluster: Cluster, kind: MessageKind, rest: readonly string[]): void {
  for (const { link } of cluster.others) send(cluster, link, kind, rest)
}

/**
 * Sends a ping on a connection that this node opened. `pingSentMs` is set until the pong arrives.
 */
export function sendPing(cluster: Cluster, link: BusLink): void {
  link.node.pingSentMs = cluster.nowMs
  sendHeartbeat(cluster, link, 'ping')
}

export function sendPong(cluster: Cluster, link: BusLink | InboundLink): void {
  sendHeartbeat(cluster, link, 'pong')
}

/** Sends unrequested pongs to all nodes, or to the replicas of the same primary. */
export function broadcastPong(cluster: Cluster, to: 'all' | 'replicas'): void {
  const { myself } = cluster
  for (const { link, primary } of cluster.others) {
    if (link === null) continue
    if (to === 'all' || (primary !== null && (primary === myself || primary === myself.primary)))
      sendPong(cluster, link)
  }
}

/**
 * Chooses the nodes of the gossip section: three nodes in rotation (real Redis chooses them at
 * random), and all unreachable nodes.
 */
function gossip(cluster: Cluster): Gossip[] {
  const { others } = cluster
  const chosen: ClusterNode[] = []
  const wanted = Math.min(gossipCount, others.length - 1)
  for (let tried = 0; chosen.length < wanted && tried < others.length; tried++) {
    const node = others[cluster.gossipTurn++ % others.length]!
    if (node.failure !== 'pfail' && (node.link !== null || node.slotCount > 0)) chosen.push(node)
  }
  for (const node of others) if (node.failure === 'pfail') chosen.push(node)
  return chosen.map(({ id, failure, pongReceivedMs }) => {
    return { id, failure, pongSeconds: Math.floor(pongReceivedMs / 1000) }
  })
}

export function sendFail(cluster: Cluster, node: ClusterNode): void {
  broadcast(cluster, 'fail', [node.id])
}

export function askForVotes(cluster: Cluster): void {
  broadcast(cluster, 'auth-req', [])
}

export function sendVote(cluster: Cluster, node: ClusterNode): void {
  send(cluster, node.link, 'auth-ack')
}

/** Informs `to` that another node now serves slots that `to` believes to own. */
export function sendUpdate(cluster: Cluster, to: ClusterNode, about: ClusterNode): void {
  send(cluster, to.link, 'update', [about.id, String(about.configEpoch), cluster.slots.text(about)])
}

/** PUBLISH reaches the clients of all nodes; SPUBLISH reaches the clients of its shard. */
export function broadcastMessage(cluster: Cluster, space: 'channels' | 'shards', channel: string, text: string): void {
  const words = [channel, text]
  if (space === 'channels') return broadcast(cluster, 'publish', words)
  const leader = cluster.myself.primary ?? cluster.myself
  for (const node of cluster.others) {
    if (node === leader || node.primary === leader) send(cluster, node.link, 'publishshard', words)
  }
}
