/**
 * Heartbeats without new content skip the network, and ticks without work are skipped. Neither
 * shortcut changes the results.
 */
import { afterEach, describe, expect, it, vi } from 'vitest'
import { type Lab, LabMachine } from '../fidelity/sentinel/lab.ts'
import { ClusterByHand } from './cluster/cluster-by-hand.ts'
import { Deployment } from './sentinel/deployment.ts'

afterEach(() => vi.restoreAllMocks())

/** The number of segments on the network during `ms` milliseconds. */
function segmentsIn(lab: Lab, ms: number): number {
  const send = vi.spyOn(lab, 'send')
  lab.pass(ms)
  const { length } = send.mock.calls
  send.mockRestore()
  return length
}

/**
 * Runs a deployment whose primary dies at that time. Returns the events of each Sentinel with their
 * times.
 */
function storyOfADeath(dieAfterMs: number): string[] {
  const deployment = Deployment.settled()
  deployment.lab.pass(dieAfterMs)
  const { nowMs } = deployment.lab
  deployment.servers[0]!.die()
  deployment.lab.pass(20_000)
  return deployment.heard.map(({ atMs, by, type }) => `${Math.round(atMs - nowMs)} ${by} ${type}`)
}

describe('heartbeats of Sentinels', () => {
  it('keep all links fresh without the network, except segments of an INFO every ten seconds', () => {
    const { lab, ...deployment } = Deployment.settled()
    const link = (deployment.sentinels[0]!.server as ReturnType<Deployment['sentinel']>).primaries.get('mymaster')!.link
    const before = link.lastPongMs
    // PINGs and hellos alone would need more than 500 segments.
    expect(segmentsIn(lab, 9000)).toBeLessThan(80)
    expect(link.lastPongMs - before).toBeGreaterThan(7000)
  })

  it('use the network as soon as a connection is cut', () => {
    const deployment = Deployment.settled()
    const { lab, servers, sentinels } = deployment
    lab.cut([servers[0]!], sentinels)
    expect(segmentsIn(lab, 3000)).toBeGreaterThan(3)
    expect(deployment.heardOf('+sdown').length).toBeGreaterThan(0)
  })

  it('are missing only from a paused machine, which is reported as down', () => {
    const deployment = Deployment.settled()
    deployment.servers[1]!.pause()
    deployment.lab.pass(3000)
    const missed = new Set(deployment.events('+sdown').map((message) => message.split(' ')[1]))
    expect([...missed]).toEqual([`${deployment.servers[1]!.host}:6379`])
  })

  it('detect a death at the same ticks, whether or not ticks without work are skipped', () => {
    for (const dieAfterMs of [0, 137, 770]) {
      const passedOver = storyOfADeath(dieAfterMs)
      const clock = Object.getOwnPropertyDescriptor(LabMachine.prototype, 'monotonicUs')!
      Reflect.deleteProperty(LabMachine.prototype, 'monotonicUs')
      try {
        expect(storyOfADeath(dieAfterMs)).toEqual(passedOver)
      } finally {
        Object.defineProperty(LabMachine.prototype, 'monotonicUs', clock)
      }
      expect(passedOver.some((line) => line.endsWith('+switch-master'))).toBe(true)
    }
  })
})

describe('heartbeats of a Cluster', () => {
  it('keep every node fresh without the network', () => {
    const cluster = ClusterByHand.settled()
    cluster.lab.pass(3000)
    const [other] = cluster.cluster('a').others
    const before = other!.pongReceivedMs
    // There are about 600 pings and pongs. Only heartbeats with a new offset use the network. The
    // offset increases when a primary sends a PING to its replica.
    expect(segmentsIn(cluster.lab, 5000)).toBeLessThan(100)
    expect(other!.pongReceivedMs - before).toBeGreaterThan(3000)
  })

  it('use the network if nodes are cut off, and those nodes are marked as failed', () => {
    const cluster = ClusterByHand.settled()
    cluster.lab.pass(3000)
    cluster.isolate('a')
    expect(segmentsIn(cluster.lab, 1500)).toBeGreaterThan(10)
    cluster.lab.pass(2000)
    expect(cluster.cluster('b').others.filter(({ failure }) => failure !== null)).toHaveLength(1)
  })

  it('use the network if they have new content', () => {
    const cluster = ClusterByHand.settled()
    cluster.lab.pass(3000)
    cluster.cluster('a').currentEpoch++
    expect(segmentsIn(cluster.lab, 2000)).toBeGreaterThan(10)
    expect(cluster.cluster('b').currentEpoch).toBe(cluster.cluster('a').currentEpoch)
  })
})
