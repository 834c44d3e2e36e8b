/**
 * Failover: how a replica replaces its failed primary. The replica waits 500 ms, plus up to 500 ms
 * at random, plus a second for every replica with more data. Then it asks the primaries for their
 * votes. Each primary has one vote per epoch. The votes of a majority promote the replica. Source:
 * clusterHandleSlaveFailover, clusterGetSlaveRank and clusterSendFailoverAuthIfNeeded of Redis 7.0.
 */
import type { Message } from './bus-message.ts'
import type { Cluster } from './cluster.ts'
import type { ClusterNode } from './cluster-node.ts'
import { askForVotes, broadcastPong, sendVote } from './send.ts'
import { slotsIn } from './slot-map.ts'

export class Candidacy {
  /** Time in milliseconds at which the node asks for votes; 0 if the node never was a candidate. */
  atMs = 0
  rank = 0
  asked = false
  votes = 0
  epoch = 0
}

export function handleElection(cluster: Cluster): void {
  const { myself, candidacy, nowMs, server } = cluster
  const { primary } = myself
  if (myself.isPrimary || primary === null || primary.failure !== 'fail' || primary.slotCount === 0) return
  if (server.config.clusterReplicaNoFailover || !hasRecentData(cluster)) return
  const timeoutMs = Math.max(2000, 2 * cluster.timeoutMs)
  const ageMs = nowMs - candidacy.atMs
  if (ageMs > 2 * timeoutMs) return stand(cluster)
  if (!candidacy.asked) {
    const rank = rankOf(cluster)
    if (rank > candidacy.rank) {
      candidacy.atMs += (rank - candidacy.rank) * 1000
      candidacy.rank = rank
    }
  }
  if (nowMs < candidacy.atMs || ageMs > timeoutMs) return
  if (!candidacy.asked) {
    candidacy.epoch = ++cluster.currentEpoch
    candidacy.asked = true
    askForVotes(cluster)
    cluster.stateIsOld = true
  } else if (candidacy.votes >= cluster.majority) {
    myself.configEpoch = Math.max(myself.configEpoch, candidacy.epoch)
    cluster.replacePrimary(primary)
  }
}

function stand(cluster: Cluster): void {
  const { candidacy } = cluster
  const rank = rankOf(cluster)
  const atMs = cluster.nowMs + 500 + cluster.server.environment.random(500) + rank * 1000
  Object.assign(candidacy, { atMs, rank, asked: false, votes: 0 })
  broadcastPong(cluster, 'replicas')
}

/** Number of replicas of the same primary that have more data. */
function rankOf({ myself, server }: Cluster): number {
  const better = (other: ClusterNode) => other !== myself && !other.noFailover
  return myself.primary!.replicas.filter((other) => better(other) && other.replicationOffset > server.replicationOffset)
    .length
}

/**
 * False if a replica lost its primary too long ago, or never synced; it then cannot be a candidate.
 * Counts in whole seconds, as real Redis does.
 */
function hasRecentData({ server, timeoutMs, nowMs }: Cluster): boolean {
  const { clusterReplicaValidityFactor: factor, replPingReplicaPeriod } = server.config
  const { link } = server.replication
  if (factor === 0) return true
  const sinceMs = link?.state === 'connected' ? link.lastIoMs : (link?.downSinceMs ?? 0)
  let ageMs = (Math.floor(nowMs / 1000) - Math.floor(sinceMs / 1000)) * 1000
  if (ageMs > timeoutMs) ageMs -= timeoutMs
  return ageMs <= replPingReplicaPeriod * 1000 + timeoutMs * factor
}

/**
 * Only primaries with slots vote. Each primary votes once per epoch, and at most once in two node
 * timeouts for replicas of the same failed primary.
 */
export function voteFor(cluster: Cluster, candidate: ClusterNode, request: Message): void {
  const { myself, slots, nowMs } = cluster
  const { primary } = candidate
  if (!myself.isPrimary || myself.slotCount === 0) return
  if (request.currentEpoch < cluster.currentEpoch || cluster.lastVoteEpoch === cluster.currentEpoch) return
  if (candidate.isPrimary || primary === null || primary.failure !== 'fail') return
  if (nowMs - primary.votedMs < 2 * cluster.timeoutMs) return
  for (const slot of slotsIn(request.slots)) if ((slots.owner(slot)?.configEpoch ?? 0) > request.configEpoch) return
  cluster.lastVoteEpoch = cluster.currentEpoch
  primary.votedMs = nowMs
  sendVote(cluster, candidate)
}

export function countVote(cluster: Cluster, voter: ClusterNode, vote: Message): void {
  const { candidacy } = cluster
  if (!voter.isPrimary || voter.slotCount === 0 || vote.currentEpoch < candidacy.epoch) return
  candidacy.votes++
  cluster.electionIsDue = true
}
