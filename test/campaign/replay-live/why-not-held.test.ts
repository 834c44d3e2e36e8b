/** What several servers did in the simulator that real ones are not brought to do. */
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
  it('are made one after the other, by a Sentinel that has heard of the one before', () => {
    expect(why([...first, 'redis-3 promoted', 'sentinel-2 announces redis-3'])).toBeNull()
  })

  it('are not made by a Sentinel that has not heard of the one before', () => {
    const what = 'redis-3 is promoted before all have heard of redis-2'
    expect(why([...first, 'redis-3 promoted', 'sentinel-3 announces redis-3'])).toEqual({ reason: 'sentinels', what })
  })

  it('may be announced behind the end of what is made: that says which Sentinel led', () => {
    expect(why([...first, 'redis-3 promoted', 'sentinel-2 announces redis-3'], { until: 4 })).toBeNull()
  })

  it('are not made back to a server that leads all the same', () => {
    const names = [...first, 'redis-1 promoted', 'sentinel-1 announces redis-1', 'sentinel-1 announces redis-2']
    expect(why(names)).toMatchObject({ reason: 'sentinels' })
    expect(why(names, { until: 5 })).toBeNull()
  })
})

describe('a server that comes back', () => {
  it('is not made with an older word of a key', () => {
    expect(why(first, { backSeq: 1, isOlder: true })).toEqual({ reason: 'disk', what: 'redis-1' })
  })

  it('is made with what it had when it died, and where it comes behind the end', () => {
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

  it('is not made to know nobody who serves some slots, where a client speaks to it', () => {
    expect(ofCluster([lacks, 'consumer-1 asks redis-2a cluster-slots', knows])).toEqual({
      reason: 'cluster',
      what: 'redis-2a knows no node for some of the slots',
    })
  })

  it('may have known nobody where none spoke to it meanwhile', () => {
    expect(ofCluster([lacks, 'consumer-1 asks redis-1b cluster-slots', knows])).toBeNull()
    expect(ofCluster([lacks, knows, 'consumer-1 asks redis-2a cluster-slots'])).toBeNull()
  })

  const isBack = [{ server: 'redis-2b', kept: [], isOlder: false, seq: 1 }]
  const itself = 'redis-2b knows fail redis-1a redis-2a+redis-2b failing redis-2a'
  const asked = 'consumer-1 asks redis-2b cluster-slots'

  it('that is back does not tell of itself before its primary, which is dead, has sent it something', () => {
    const what = 'redis-2b is back and announces itself while its primary is dead'
    expect(ofCluster(['timer 1', itself, asked], isBack)).toEqual({ reason: 'cluster', what })
  })

  it('may tell of itself where it was there all the time, has got something, or nobody asks', () => {
    expect(ofCluster(['timer 1', itself, asked])).toBeNull()
    expect(ofCluster([itself, asked, 'timer 1'], isBack)).toBeNull()
    expect(ofCluster(['timer 1', 'redis-2b has write 0 of redis-2a', itself, asked], isBack)).toBeNull()
    expect(ofCluster(['timer 1', itself, 'consumer-1 asks redis-2b cluster-info'], isBack)).toBeNull()
    expect(ofCluster(['timer 1', 'redis-2b knows ok redis-1a redis-2a+redis-2b', asked], isBack)).toBeNull()
  })

  it('may replace a primary while not all have heard of the one before', () => {
    expect(ofCluster(['redis-1b promoted', 'redis-1a promoted'])).toBeNull()
  })
})
