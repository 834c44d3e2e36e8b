/**
 * Processes messages from other nodes. Source: clusterProcessPacket and clusterProcessGossipSection
 * of Redis 7.0.
 */
import type { BusLink, InboundLink } from './bus-link.ts'
import type { Gossip, Message } from './bus-message.ts'
import type { Cluster } from './cluster.ts'
import type { ClusterNode } from './cluster-node.ts'
import { countVote, voteFor } from './election.ts'
import { clearFailure, isReported, markFailed } from './failure.ts'
import { sendPong, sendUpdate } from './send.ts'
import { bindSlots } from './slot-config.ts'
import { slotsIn } from './slot-map.ts'

/** Messages from unknown nodes are ignored. */
export function receive(cluster: Cluster, link: BusLink | InboundLink, message: Message): void {
  const { nowMs } = cluster
  const sender = cluster.node(message.sender)
  cluster.received.add(message.kind)
  if (sender === undefined) return
  if ('hear' in link && link.node === null) {
    link.node = sender
    sender.inbound = link
  }
  sender.dataReceivedMs = nowMs
  if (message.currentEpoch > cluster.currentEpoch) cluster.currentEpoch = message.currentEpoch
  if (message.configEpoch > sender.configEpoch) sender.configEpoch = message.configEpoch
  sender.replicationOffset = message.offset
  switch (message.kind) {
    case 'ping':
      sendPong(cluster, link)
      return learn(cluster, sender, message)
    case 'pong':
      if (!('hear' in link)) answered(cluster, link.node)
      return learn(cluster, sender, message)
    case 'fail':
      return failed(cluster, cluster.node(message.rest[0]!))
    case 'auth-req':
      return voteFor(cluster, sender, message)
    case 'auth-ack':
      return countVote(cluster, sender, message)
    case 'update':
      return updated(cluster, message)
    case 'publish':
    case 'publishshard': {
      const [channel, text] = message.rest
      cluster.server.subscriptions.publish(message.kind === 'publish' ? 'channels' : 'shards', channel!, text!)
    }
  }
}

function answered(cluster: Cluster, node: ClusterNode): void {
  node.pongReceivedMs = cluster.nowMs
  node.pingSentMs = 0
  if (node.failure === 'pfail') {
    node.failure = null
    cluster.stateIsOld = true
  } else if (node.failure === 'fail') clearFailure(cluster, node)
}

function learn(cluster: Cluster, sender: ClusterNode, message: Message): void {
  sender.noFailover = message.noFailover
  learnRole(cluster, sender, message.primary)
  learnSlots(cluster, sender, message)
  settleEpochs(cluster, sender, message.configEpoch)
  for (const entry of message.gossip) learnGossip(cluster, sender, entry)
}

function learnRole(cluster: Cluster, sender: ClusterNode, primaryId: string): void {
  if (primaryId === '') {
    if (sender.isPrimary) return
    sender.lead()
    cluster.stateIsOld = true
    return
  }
  if (sender.isPrimary) {
    cluster.slots.takeAll(sender)
    sender.isPrimary = false
    cluster.stateIsOld = true
  }
  const primary = cluster.node(primaryId)
  if (primary !== undefined && sender.primary !== primary) sender.follow(primary)
}

function learnSlots(cluster: Cluster, sender: ClusterNode, message: Message): void {
  const { slots } = cluster
  const leader = sender.isPrimary ? sender : sender.primary
  if (leader === null || slots.text(leader) === message.slots) return
  if (sender.isPrimary) bindSlots(cluster, sender, message.configEpoch, message.slots)
  for (const slot of slotsIn(message.slots)) {
    const owner = slots.owner(slot)
    if (owner === sender || owner === null || owner.configEpoch <= message.configEpoch) continue
    sendUpdate(cluster, sender, owner)
    break
  }
}

/**
 * If two primaries have the same configuration epoch, the one with the lower id takes a new epoch.
 */
function settleEpochs(cluster: Cluster, sender: ClusterNode, configEpoch: number): void {
  const { myself } = cluster
  if (!sender.isPrimary || !myself.isPrimary || configEpoch !== myself.configEpoch || sender.id <= myself.id) return
  myself.configEpoch = ++cluster.currentEpoch
}

/**
 * Processes the sender's view of a node. A report that the node is unreachable only counts if the
 * sender is a primary.
 */
function learnGossip(cluster: Cluster, sender: ClusterNode, { id, failure, pongSeconds }: Gossip): void {
  const node = cluster.node(id)
  if (node === undefined) return
  if (sender.isPrimary && node !== cluster.myself) {
    if (failure !== null) {
      node.reports.set(sender, cluster.nowMs)
      markFailed(cluster, node)
    } else node.reports.delete(sender)
  }
  if (failure !== null || node.pingSentMs !== 0 || isReported(cluster, node)) return
  const pongMs = pongSeconds * 1000
  if (pongMs <= cluster.nowMs + 500 && pongMs > node.pongReceivedMs) node.pongReceivedMs = pongMs
}

function failed(cluster: Cluster, node: ClusterNode | undefined): void {
  if (node === undefined || node === cluster.myself || node.failure === 'fail') return
  node.failure = 'fail'
  node.failedMs = cluster.nowMs
  cluster.stateIsOld = true
}

function updated(cluster: Cluster, { rest }: Message): void {
  const [id, epochText, slots = ''] = rest as [string, string, string?]
  const node = cluster.node(id)
  const epoch = Number(epochText)
  if (node === undefined || node.configEpoch >= epoch) return
  if (!node.isPrimary) {
    node.lead()
    cluster.stateIsOld = true
  }
  node.configEpoch = epoch
  bindSlots(cluster, node, epoch, slots)
}
