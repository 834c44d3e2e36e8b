import { describe, expect, it } from 'vitest'
import { electedLeader, voteLeader } from '../../src/sentinel/election.ts'
import type { OtherSentinel } from '../../src/sentinel/instance.ts'
import { Deployment } from './deployment.ts'

const a = 'a'.repeat(40)
const b = 'b'.repeat(40)

/** A Sentinel, its primary, and two other Sentinels. */
function three(quorum = 2) {
  const deployment = Deployment.settled({ monitor: { quorum } })
  const sentinel = deployment.sentinel(0)
  const primary = sentinel.primaries.get('mymaster')!
  const others = [...primary.sentinels.values()] as [OtherSentinel, OtherSentinel]
  return { deployment, sentinel, primary, others }
}

describe('a vote', () => {
  it('is given once in an epoch, and never in a past epoch', () => {
    const { sentinel, primary } = three()
    expect(voteLeader(sentinel, primary, 5, a)).toEqual({ leader: a, epoch: 5 })
    expect(voteLeader(sentinel, primary, 5, b)).toEqual({ leader: a, epoch: 5 })
    expect(voteLeader(sentinel, primary, 4, b)).toEqual({ leader: a, epoch: 5 })
    expect(voteLeader(sentinel, primary, 6, b)).toEqual({ leader: b, epoch: 6 })
  })

  it('for another Sentinel delays the voter’s own candidacy by twice the failover timeout', () => {
    const { deployment } = three()
    deployment.ask(0, `sentinel is-master-down-by-addr 10.0.0.1 6379 9 ${a}`)
    deployment.ask(1, `sentinel is-master-down-by-addr 10.0.0.1 6379 9 ${a}`)
    deployment.ask(2, `sentinel is-master-down-by-addr 10.0.0.1 6379 9 ${a}`)
    deployment.servers[0]!.die()
    const tookMs = deployment.untilHeard('+try-failover', 40_000)
    expect(tookMs).toBeGreaterThan(19_000)
    expect(deployment.heardOf('+odown')[0]!.atMs).toBeLessThan(deployment.heardOf('+try-failover')[0]!.atMs - 17_000)
  })

  it('is requested with the id of the Sentinel, and not with `*`', () => {
    const { deployment } = three()
    const ask = (who: string) => deployment.ask(0, `sentinel is-master-down-by-addr 10.0.0.1 6379 3 ${who}`)
    expect(ask('*')).toBe('*3\r\n:0\r\n$1\r\n*\r\n:0\r\n')
    expect(ask(a)).toBe(`*3\r\n:0\r\n$40\r\n${a}\r\n:3\r\n`)
    expect(ask(b)).toBe(`*3\r\n:0\r\n$40\r\n${a}\r\n:3\r\n`)
    expect(deployment.events('+vote-for-leader')).toEqual([`${a} 3`])
  })

  it('survives a restart with the configuration file, and is given again after a restart without the file', () => {
    for (const keepsFile of [true, false]) {
      const { deployment, sentinel } = three()
      deployment.ask(0, `sentinel is-master-down-by-addr 10.0.0.1 6379 3 ${a}`)
      const { saved } = sentinel
      const [machine] = deployment.sentinels
      machine!.die()
      machine!.revive((on) => deployment.sentinelOn(on, keepsFile ? saved : {}))
      const reply = deployment.ask(0, `sentinel is-master-down-by-addr 10.0.0.1 6379 3 ${b}`)
      expect(reply.includes(b)).toBe(!keepsFile)
      expect(deployment.sentinel(0).id === sentinel.id).toBe(keepsFile)
    }
  })
})

describe('the leader', () => {
  it('needs a majority of all known Sentinels, and the quorum', () => {
    const { sentinel, primary, others } = three()
    sentinel.epoch = 7
    expect(electedLeader(sentinel, primary, 7)).toBe(null)
    Object.assign(others[0], { leader: sentinel.id, leaderEpoch: 7 })
    expect(electedLeader(sentinel, primary, 7)).toBe(sentinel.id)
    primary.quorum = 3
    expect(electedLeader(sentinel, primary, 7)).toBe(null)
  })

  it('is not elected by votes of another epoch', () => {
    const { sentinel, primary, others } = three()
    sentinel.epoch = 7
    Object.assign(others[0], { leader: a, leaderEpoch: 6 })
    Object.assign(others[1], { leader: a, leaderEpoch: 6 })
    expect(electedLeader(sentinel, primary, 7)).toBe(null)
    Object.assign(others[0], { leader: a, leaderEpoch: 7 })
    Object.assign(others[1], { leader: a, leaderEpoch: 7 })
    expect(electedLeader(sentinel, primary, 7)).toBe(a)
  })

  it('receives the vote of a Sentinel that has not voted yet', () => {
    const { sentinel, primary, others } = three()
    sentinel.epoch = 7
    Object.assign(others[0], { leader: b, leaderEpoch: 7 })
    expect(electedLeader(sentinel, primary, 7)).toBe(b)
    expect(primary.leader).toBe(b)
  })
})
