import { describe, expect, it } from 'vitest'
import { encodeCommand } from '../../src/resp/encode-command.ts'
import { ClientByHand } from '../server-by-hand.ts'
import { Deployment } from './deployment.ts'

const down = ['master mymaster 10.0.0.1 6379']

describe('a server that answers PING with an error', () => {
  it('is up while it is loading', () => {
    const deployment = Deployment.settled({ sentinels: 1 })
    deployment.server(0).degraded.loading = true
    deployment.lab.pass(5000)
    expect(deployment.events('+sdown')).toEqual([])
  })

  it('is down during an endless script, which is killed', () => {
    const deployment = Deployment.settled({ sentinels: 1 })
    const client = new ClientByHand(deployment.server(0))
    client.raw(encodeCommand(['eval', 'while true do end', '0']))
    deployment.lab.pass(4000)
    expect(deployment.events('+sdown')).toEqual(down)
    expect(client.taken()).toMatch(/^-.*Script killed by user/)
    expect(deployment.events('-sdown')).toEqual(down)
  })
})

describe('a primary that reports itself as a replica', () => {
  it('is down after down-after and two INFO periods', () => {
    const deployment = Deployment.settled({ standIns: true, sentinels: 1 })
    deployment.standIn(0).follows = { host: '10.0.0.2', port: 6379 }
    const tookMs = deployment.untilHeard('+sdown', 60_000)
    expect(deployment.events('-role-change')[0]).toMatch(/^master mymaster .* new reported role is slave$/)
    expect(tookMs).toBeGreaterThan(21_000)
  })
})

describe('a primary that restarts at once', () => {
  it('is reported as rebooted, and does not count as down if it is up again within down-after', () => {
    const deployment = Deployment.settled({ monitor: { downAfterMs: 3000 } })
    deployment.servers[0]!.die()
    deployment.lab.pass(300)
    deployment.servers[0]!.revive()
    deployment.lab.pass(15_000)
    expect(deployment.events('+reboot')).toEqual(Array(3).fill(down[0]))
    expect(deployment.events('+sdown')).toEqual([])
    expect(deployment.primaries()).toEqual(['10.0.0.1', '10.0.0.1', '10.0.0.1'])
  })

  it('counts as down if down-after is at most 1 s, the interval between attempts to connect', () => {
    const deployment = Deployment.settled({ monitor: { downAfterMs: 900 } })
    deployment.servers[0]!.die()
    deployment.lab.pass(300)
    deployment.servers[0]!.revive()
    deployment.lab.pass(1000)
    expect(deployment.events('+sdown')).toContain(down[0])
  })

  it('counts as down if it loads for longer than master-reboot-down-after-period', () => {
    const deployment = Deployment.settled({ standIns: true, monitor: { masterRebootDownAfterMs: 1 } })
    deployment.servers[0]!.die()
    deployment.lab.pass(300)
    deployment.servers[0]!.revive()
    deployment.server(0).degraded.loading = true
    deployment.untilHeard('+sdown', 15_000)
    expect(deployment.events('+sdown')[0]).toBe(down[0])
  })
})

describe('a Sentinel whose time jumps', () => {
  it('monitors but does not act for 30 s after a pause or a change of its clock', () => {
    for (const jump of ['pause', 'clock forward', 'clock back'] as const) {
      const deployment = Deployment.settled()
      const [machine] = deployment.sentinels as [(typeof deployment.sentinels)[0]]
      if (jump === 'pause') {
        machine.pause()
        deployment.lab.pass(2500)
        machine.resume()
      } else machine.clockOffsetUs += jump === 'clock back' ? -5_000_000 : 5_000_000
      deployment.lab.pass(500)
      expect(deployment.events('+tilt', 0)).toEqual(['#tilt mode entered'])
      deployment.heard.length = 0
      deployment.servers[0]!.die()
      deployment.lab.pass(10_000)
      // The other Sentinels fail over without this Sentinel, and notify it in their hellos.
      expect(deployment.events('+sdown', 0)).toEqual([])
      expect(deployment.events('+switch-master', 0)).toHaveLength(1)
      deployment.lab.pass(22_000)
      expect(deployment.events('-tilt', 0)).toEqual(['#tilt mode exited'])
    }
  })

  it('continues to act after a pause of less than two seconds', () => {
    const deployment = Deployment.settled()
    deployment.sentinels[0]!.pause()
    deployment.lab.pass(1500)
    deployment.sentinels[0]!.resume()
    deployment.lab.pass(500)
    expect(deployment.events('+tilt')).toEqual([])
  })
})
