/**
 * Which Sentinel may fail a primary over: one vote of each in each epoch, a majority of all, and
 * the quorum.
 */
import type { Primary } from './instance.ts'
import type { Sentinel } from './sentinel.ts'

/** Attempts are up to that much apart. */
const maxDesyncMs = 1000

export function newEpoch(sentinel: Sentinel, epoch: number): void {
  sentinel.epoch = epoch
  sentinel.announce('+new-epoch', String(epoch))
}

/** When an attempt, of one's own or another's, counts as begun. */
export function attemptStartMs(sentinel: Sentinel): number {
  return sentinel.nowMs + sentinel.environment.random(maxDesyncMs)
}

/**
 * Votes, unless it has voted in that epoch or a later one already; answers the vote that stands.
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
    // Another one tries: this one waits its turn.
    if (candidate.toLowerCase() !== sentinel.id) primary.failoverStartMs = attemptStartMs(sentinel)
  }
  return { leader: primary.leader, epoch: primary.leaderEpoch }
}

/** The Sentinel that has won the epoch; its own vote goes to the one that leads, or to itself. */
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

/** Where two have as many votes, the one that had its first vote earlier. */
function mostVoted(all: ReadonlyMap<string, number>): { leader: string; votes: number } | null {
  let most: { leader: string; votes: number } | null = null
  for (const [leader, votes] of all) if (votes > (most?.votes ?? 0)) most = { leader, votes }
  return most
}
