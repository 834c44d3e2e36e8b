/** What simulated servers did that cannot be reproduced on several real servers. */
import { describe, expect, it } from 'vitest'
import { whyNotHeld } from '../../../src/campaign/replay-live/why-not-held.ts'
import { stepOf } from '../../run/step-of.ts'

function why(names: readonly string[], { until = names.length, backSeq = 0, isOlder = false } = {}) {
  const steps = names.map((name, seq) => ({ step: stepOf(name), seq }))
  const returns = [{ server: 'redis-1', kept: [], isOlder, seq: backSeq }]
  return whyNotHeld({ schedule: { steps, returns }, until } as never)
}

const first = ['redis-2 promoted', 'sentinel-1 announces redis-2', 'sentinel-2 announces redis-2']

describe('failovers', () => {
  it('are made one after the other, by a Sentinel that knows of the previous one', () => {
    expect(why([...first, 'redis-3 promoted', 'sentinel-2 announces redis-3'])).toBeNull()
  })

  it('are not made by a Sentinel that does not know of the previous one', () => {
    const what = 'redis-3 is promoted before all have heard of redis-2'
    expect(why([...first, 'redis-3 promoted', 'sentinel-3 announces redis-3'])).toEqual({ reason: 'sentinels', what })
  })

  it('may be announced after the end of the replay, which names the leading Sentinel', () => {
    expect(why([...first, 'redis-3 promoted', 'sentinel-2 announces redis-3'], { until: 4 })).toBeNull()
  })

  it('are not made back to a server that still leads', () => {
    const names = [...first, 'redis-1 promoted', 'sentinel-1 announces redis-1', 'sentinel-1 announces redis-2']
    expect(why(names)).toMatchObject({ reason: 'sentinels' })
    expect(why(names, { until: 5 })).toBeNull()
  })
})

describe('a server that comes back', () => {
  it('is not made with an older version of a key', () => {
    expect(why(first, { backSeq: 1, isOlder: true })).toEqual({ reason: 'disk', what: 'redis-1' })
  })

  it('is made with the data it had when it died, or if it returns after the end', () => {
    expect(why(first, { backSeq: 1 })).toBeNull()
    expect(why(first, { backSeq: 2, isOlder: true })).toBeNull()
  })
})

describe('a node of a Cluster', () => {
  const lacks = 'redis-2a knows fail - redis-2a'
  const knows = 'redis-2a knows ok redis-1b redis-2a'
  const ofCluster = (names: readonly string[], returns: readonly object[] = []) =>
    whyNotHeld({
      schedule: { steps: names.map((name, seq) => ({ step: stepOf(name), seq, server: null })), returns, known: [] },
      until: names.length,
    } as never)

  it('cannot be made to lack the owner of some slots if a client talks to it', () => {
    expect(ofCluster([lacks, 'consumer-1 asks redis-2a cluster-slots', knows])).toEqual({
      reason: 'cluster',
      what: 'redis-2a knows no node for some of the slots',
    })
  })

  it('may lack the owner of some slots if no client talks to it meanwhile', () => {
    expect(ofCluster([lacks, 'consumer-1 asks redis-1b cluster-slots', knows])).toBeNull()
    expect(ofCluster([lacks, knows, 'consumer-1 asks redis-2a cluster-slots'])).toBeNull()
  })

  const isBack = [{ server: 'redis-2b', kept: [], isOlder: false, seq: 1 }]
  const itself = 'redis-2b knows fail redis-1a redis-2a+redis-2b failing redis-2a'
  const asked = 'consumer-1 asks redis-2b cluster-slots'

  it('cannot report itself after its return if its dead primary has sent it nothing', () => {
    const what = 'redis-2b is back and announces itself while its primary is dead'
    expect(ofCluster(['timer 1', itself, asked], isBack)).toEqual({ reason: 'cluster', what })
  })

  it('may report itself if it never died, has received data, or is not asked', () => {
    expect(ofCluster(['timer 1', itself, asked])).toBeNull()
    expect(ofCluster([itself, asked, 'timer 1'], isBack)).toBeNull()
    expect(ofCluster(['timer 1', 'redis-2b has write 0 of redis-2a', itself, asked], isBack)).toBeNull()
    expect(ofCluster(['timer 1', itself, 'consumer-1 asks redis-2b cluster-info'], isBack)).toBeNull()
    expect(ofCluster(['timer 1', 'redis-2b knows ok redis-1a redis-2a+redis-2b', asked], isBack)).toBeNull()
  })

  it('may replace a primary before all nodes know of the previous failover', () => {
    expect(ofCluster(['redis-1b promoted', 'redis-1a promoted'])).toBeNull()
  })
})
