import { describe, expect, it } from 'vitest'
import { ClientByHand } from '../server-by-hand.ts'
import { Deployment } from './deployment.ts'

describe('a primary that stops answering', () => {
  it('is replaced by a replica, which all Sentinels report and the other replica follows', () => {
    const deployment = Deployment.settled()
    new ClientByHand(deployment.server(0)).run('set key kept')
    deployment.lab.pass(100)
    deployment.servers[0]!.die()
    deployment.lab.until(
      () => new Set(deployment.primaries()).size === 1 && !deployment.primaries().includes('10.0.0.1'),
      10_000,
    )
    deployment.lab.pass(2000)
    const [promoted] = deployment.primaries()
    const [winner, other] = promoted === '10.0.0.2' ? [1, 2] : [2, 1]
    expect(deployment.follows(winner)).toBe(null)
    expect(deployment.follows(other)).toBe(promoted)
    expect(new ClientByHand(deployment.server(winner)).run('get key')).toBe('$4\r\nkept\r\n')
    const switched = deployment.events('+switch-master')
    expect(switched).toEqual(Array(3).fill(`mymaster 10.0.0.1 6379 ${promoted} 6379`))
    expect(deployment.events('+elected-leader')).toHaveLength(1)
    expect(deployment.lab.unsupported).toEqual([])
  })

  it('is not replaced if it is paused for less than down-after', () => {
    const deployment = Deployment.settled()
    deployment.servers[0]!.pause()
    deployment.lab.pass(700)
    deployment.servers[0]!.resume()
    deployment.lab.pass(10_000)
    expect(deployment.heard).toEqual([])
    expect(deployment.primaries()).toEqual(['10.0.0.1', '10.0.0.1', '10.0.0.1'])
  })

  it('is replaced if it is paused for longer than down-after, and becomes a replica when it resumes', () => {
    const deployment = Deployment.settled()
    deployment.servers[0]!.pause()
    deployment.untilHeard('+switch-master')
    deployment.servers[0]!.resume()
    const tookMs = deployment.untilHeard('+convert-to-slave', 30_000)
    // The server must report itself as a primary for 8 s. Sentinels query it every 10 s.
    expect(tookMs).toBeGreaterThan(8000)
    deployment.lab.pass(2000)
    expect(deployment.follows(0)).toBe(deployment.primaries()[0])
  })

  it('is replaced again by the third server in a later epoch if its successor dies, too', () => {
    const deployment = Deployment.settled()
    deployment.servers[0]!.die()
    deployment.untilHeard('+failover-end')
    deployment.lab.pass(3000)
    const [first] = deployment.primaries()
    deployment.servers.find(({ host }) => host === first)!.die()
    const last = first === '10.0.0.2' ? '10.0.0.3' : '10.0.0.2'
    deployment.untilPrimaryIs(last)
    expect(deployment.sentinel(0).saved.monitors[0]!.configEpoch).toBe(2)
    expect(deployment.follows(deployment.servers.findIndex(({ host }) => host === last))).toBe(null)
  })

  it('is not replaced if both replicas are dead, and the failover is retried after twice the failover timeout', () => {
    const deployment = Deployment.settled({ monitor: { failoverTimeoutMs: 5000 } })
    for (const server of deployment.servers) server.die()
    deployment.lab.pass(8000)
    const aborts = () => deployment.heardOf('-failover-abort-no-good-slave')
    expect(aborts()).toHaveLength(1)
    deployment.lab.pass(25_000)
    expect(aborts().length).toBeGreaterThan(1)
    expect(aborts()[1]!.atMs - aborts()[0]!.atMs).toBeGreaterThan(9000)
    expect(deployment.primaries()).toEqual(['10.0.0.1', '10.0.0.1', '10.0.0.1'])
  })
})

describe('a primary that is cut off', () => {
  it('from only one Sentinel is subjectively but not objectively down', () => {
    const deployment = Deployment.settled()
    deployment.lab.cut([deployment.servers[0]!], [deployment.sentinels[0]!])
    deployment.lab.pass(8000)
    expect(deployment.events('+sdown')).toEqual(['master mymaster 10.0.0.1 6379'])
    expect(deployment.events('+odown')).toEqual([])
    deployment.lab.heal()
    deployment.lab.pass(2000)
    expect(deployment.events('-sdown')).toEqual(['master mymaster 10.0.0.1 6379'])
  })

  it('from two of three Sentinels is replaced, and remains a primary until it is reconfigured', () => {
    const deployment = Deployment.settled()
    deployment.lab.cut([deployment.servers[0]!], [...deployment.servers.slice(1), ...deployment.sentinels])
    deployment.untilHeard('+failover-end')
    const client = new ClientByHand(deployment.server(0))
    expect(client.run('set lost write')).toBe('+OK\r\n')
    deployment.lab.heal()
    deployment.untilHeard('+convert-to-slave', 40_000)
    deployment.lab.pass(2000)
    expect(deployment.follows(0)).toBe(deployment.primaries()[0])
    expect(new ClientByHand(deployment.server(0)).run('get lost')).toBe('$-1\r\n')
  })
})

describe('Sentinels of which some are dead', () => {
  it('report the primary as down if they reach the quorum, but elect no leader without a majority', () => {
    const deployment = Deployment.settled({ monitor: { quorum: 1 } })
    deployment.sentinels[1]!.die()
    deployment.sentinels[2]!.die()
    deployment.servers[0]!.die()
    deployment.lab.pass(13_000)
    expect(deployment.events('+odown')).toEqual(['master mymaster 10.0.0.1 6379 #quorum 1/1'])
    expect(deployment.events('-failover-abort-not-elected')).toHaveLength(1)
    expect(deployment.events('+elected-leader')).toEqual([])
  })

  it('elect a leader if they are a majority', () => {
    const deployment = Deployment.settled({ monitor: { quorum: 1 } })
    deployment.sentinels[2]!.die()
    deployment.servers[0]!.die()
    deployment.untilHeard('+switch-master')
    expect(deployment.events('+elected-leader')).toHaveLength(1)
  })
})

describe('a Sentinel that was cut off during a failover', () => {
  it('learns of the failover from the first hello, and reports the sender of the hello', () => {
    const deployment = Deployment.settled()
    const away = deployment.sentinels[2]!
    deployment.lab.cut([away], [...deployment.servers, ...deployment.sentinels.slice(0, 2)])
    deployment.servers[0]!.die()
    deployment.lab.pass(6000)
    const [promoted] = deployment.primaries()
    expect(promoted).not.toBe('10.0.0.1')
    // The Sentinel keeps its configuration, because it has no quorum alone.
    expect(deployment.primaries()[2]).toBe('10.0.0.1')
    deployment.lab.heal()
    deployment.untilPrimaryIs(promoted!, 5000)
    expect(deployment.events('+config-update-from', 2)).toHaveLength(1)
    expect(deployment.events('+switch-master', 2)).toEqual([`mymaster 10.0.0.1 6379 ${promoted} 6379`])
    expect(deployment.events('+elected-leader', 2)).toEqual([])
  })
})
