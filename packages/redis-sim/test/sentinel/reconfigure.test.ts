import { describe, expect, it } from 'vitest'
import { Deployment } from './deployment.ts'

describe('the other replicas after a promotion', () => {
  it('are reconfigured in groups of parallel-syncs', () => {
    const reported = (parallelSyncs: number) => {
      const deployment = Deployment.settled({ replicas: 4, monitor: { parallelSyncs } })
      deployment.servers[0]!.die()
      deployment.untilHeard('+failover-end')
      const sent = deployment.heardOf('+slave-reconf-sent')
      const done = deployment.heardOf('+slave-reconf-done')
      expect([sent.length, done.length]).toEqual([3, 3])
      return { sent, done }
    }
    const one = reported(1)
    expect(one.sent[1]!.atMs).toBeGreaterThanOrEqual(one.done[0]!.atMs)
    const three = reported(3)
    expect(three.sent[2]!.atMs).toBe(three.sent[0]!.atMs)
  })

  it('are given up if they do not reconfigure in time and parallel-syncs allows another replica', () => {
    const deployment = Deployment.settled({ standIns: true, monitor: { failoverTimeoutMs: 30_000, parallelSyncs: 2 } })
    deployment.standIn(1).priority = 1
    deployment.standIn(2).refusesSlaveOf = true
    deployment.lab.pass(11_000)
    deployment.servers[0]!.die()
    deployment.untilHeard('+failover-end', 30_000)
    expect(deployment.events('-slave-reconf-sent-timeout')).toHaveLength(1)
    expect(deployment.events('+slave-reconf-inprog')).toEqual([])
    expect(deployment.events('+failover-end-for-timeout')).toEqual([])
    expect(deployment.events('+slave-reconf-sent')).toHaveLength(2)
  })

  it('receive no command at the failover timeout, because the links close in the same turn; they are reconfigured later', () => {
    const deployment = Deployment.settled({ standIns: true, replicas: 3, monitor: { failoverTimeoutMs: 4000 } })
    deployment.standIn(1).priority = 1
    deployment.standIn(2).refusesSlaveOf = true
    deployment.lab.pass(11_000)
    deployment.servers[0]!.die()
    deployment.untilHeard('+failover-end')
    expect(deployment.events('+failover-end-for-timeout')).toHaveLength(1)
    expect(deployment.events('+slave-reconf-sent')).toEqual([expect.stringContaining('slave 10.0.0.3:6379')])
    expect(deployment.events('+slave-reconf-sent-be')).toEqual([expect.stringContaining('slave 10.0.0.4:6379')])
    deployment.lab.pass(100)
    expect(deployment.standIn(3).follows?.host).toBe('10.0.0.1')
    deployment.lab.until(() => deployment.standIn(3).follows?.host === '10.0.0.2', 60_000)
    expect(deployment.events('+fix-slave-config').length).toBeGreaterThan(0)
  })
})

describe('a replica that does not become a primary', () => {
  it('ends the failover at its timeout, without a new primary', () => {
    const deployment = Deployment.settled({ standIns: true, monitor: { failoverTimeoutMs: 3000 } })
    deployment.standIn(1).refusesSlaveOf = deployment.standIn(2).refusesSlaveOf = true
    deployment.servers[0]!.die()
    deployment.untilHeard('-failover-abort-slave-timeout')
    expect(deployment.events('+failover-state-wait-promotion')).toHaveLength(1)
    expect(deployment.events('+promoted-slave')).toEqual([])
    expect(deployment.primaries()).toEqual(['10.0.0.1', '10.0.0.1', '10.0.0.1'])
  })
})

describe('a replica that follows another server', () => {
  it('is reconfigured after the failover timeout if the primary is up', () => {
    const deployment = Deployment.settled({ standIns: true })
    deployment.standIn(1).follows = { host: '10.0.0.9', port: 6379 }
    deployment.lab.pass(8000)
    expect(deployment.events('+fix-slave-config')).toEqual([])
    deployment.untilHeard('+fix-slave-config', 30_000)
    deployment.lab.pass(100)
    expect(deployment.standIn(1).follows?.host).toBe('10.0.0.1')
  })

  it('is not reconfigured while the primary is down for this Sentinel', () => {
    const deployment = Deployment.settled({ standIns: true, sentinels: 1 })
    deployment.standIn(1).follows = { host: '10.0.0.9', port: 6379 }
    deployment.servers[0]!.vanish()
    deployment.lab.pass(40_000)
    expect(deployment.events('+fix-slave-config')).toEqual([])
  })
})
