/**
 * Election of the Sentinel that may fail over a primary. Each Sentinel has one vote per epoch; the
 * winner needs the votes of a majority of all Sentinels and of the quorum.
 */
import type { Primary } from './instance.ts'
import type { Sentinel } from './sentinel.ts'

/** Maximum random delay in milliseconds that is added to the start time of an attempt. */
const maxDesyncMs = 1000

export function newEpoch(sentinel: Sentinel, epoch: number): void {
  sentinel.epoch = epoch
  sentinel.announce('+new-epoch', String(epoch))
}

/** The start time to record for an attempt of this or another Sentinel. */
export function attemptStartMs(sentinel: Sentinel): number {
  return sentinel.nowMs + sentinel.environment.random(maxDesyncMs)
}

/**
 * Votes for the candidate, unless this Sentinel already voted in this epoch or a later one. Returns
 * the vote that is valid.
 */
export function voteLeader(
  sentinel: Sentinel,
  primary: Primary,
  epoch: number,
  candidate: string,
): { leader: string | null; epoch: number } {
  if (epoch > sentinel.epoch) {
    newEpoch(sentinel, epoch)
    sentinel.flushConfig()
  }
  if (primary.leaderEpoch < epoch && sentinel.epoch <= epoch) {
    primary.leader = candidate
    primary.leaderEpoch = sentinel.epoch
    sentinel.flushConfig()
    sentinel.announce('+vote-for-leader', `${candidate} ${primary.leaderEpoch}`)
    // Another Sentinel attempts a failover, so this one delays its own attempt.
    if (candidate.toLowerCase() !== sentinel.id) primary.failoverStartMs = attemptStartMs(sentinel)
  }
  return { leader: primary.leader, epoch: primary.leaderEpoch }
}

/**
 * The winner of the epoch; null if no candidate has enough votes. This Sentinel votes for the
 * candidate with the most votes so far; without one, for itself.
 */
export function electedLeader(sentinel: Sentinel, primary: Primary, epoch: number): string | null {
  const votes = new Map<string, number>()
  const count = (leader: string) => votes.set(leader, (votes.get(leader) ?? 0) + 1)
  for (const other of primary.sentinels.values()) {
    if (other.leader !== null && other.leaderEpoch === sentinel.epoch) count(other.leader)
  }
  const own = voteLeader(sentinel, primary, epoch, mostVoted(votes)?.leader ?? sentinel.id)
  if (own.leader !== null && own.epoch === epoch) count(own.leader)
  const winner = mostVoted(votes)
  const majority = Math.floor((primary.sentinels.size + 1) / 2) + 1
  if (winner === null || winner.votes < majority || winner.votes < primary.quorum) return null
  return winner.leader
}

/** The candidate with the most votes; in a tie, the one whose first vote was counted earlier. */
function mostVoted(all: ReadonlyMap<string, number>): { leader: string; votes: number } | null {
  let most: { leader: string; votes: number } | null = null
  for (const [leader, votes] of all) if (votes > (most?.votes ?? 0)) most = { leader, votes }
  return most
}
