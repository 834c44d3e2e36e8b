import { describe, expect, it } from 'vitest'
import type { Fact } from '../../../src/contract/api/history.ts'
import { AcknowledgedKeys } from '../../../src/sim/world/acknowledged-keys.ts'
import type { Recorder } from '../../../src/sim/world/recorder.ts'
import { type FollowedServer, Topology } from '../../../src/sim/world/topology.ts'

/** A server with this state. */
function aServer(name: string, role: 'master' | 'slave', keys: Record<string, string> = {}) {
  const replication = { role, hasSynced: true, ledFrom: null }
  const clock = { nowMs: 0, endsAtMs: {} as Record<string, number> }
  const described = ([key, value]: [string, string]) => ({ key, value, expireAtMs: clock.endsAtMs[key] ?? null })
  const alive = ({ expireAtMs }: { expireAtMs: number | null }) => expireAtMs === null || clock.nowMs <= expireAtMs
  const describeKeys = () => Object.entries(keys).map(described).filter(alive)
  const readClock = () => clock.nowMs
  const config = { replicaPriority: 100 }
  const server = {
    replication,
    config,
    isLoading: false,
    describeKeys,
    readClock,
  } as unknown as FollowedServer['server']
  return { name, hasDisk: false, acknowledged: new AcknowledgedKeys(), server, replication, config, keys, clock }
}

function aPrimaryWithReplicas() {
  const facts: Fact[] = []
  const topology = new Topology({ fact: (fact: Fact) => facts.push(fact) } as unknown as Recorder)
  const servers = [aServer('redis-1', 'master', { a: '1' }), aServer('redis-2', 'slave'), aServer('redis-3', 'slave')]
  for (const server of servers) topology.add(server, 0)
  const promote = (at: number) => {
    servers[at]!.replication.role = 'master'
    topology.roleMayHaveChanged(servers[at]!)
  }
  return { facts, topology, servers, promote }
}

describe('the topology of a deployment', () => {
  it('takes the first server of a shard for its primary, then the one that was promoted last', () => {
    const { topology, servers, promote } = aPrimaryWithReplicas()
    expect(topology.primary.name).toBe('redis-1')
    promote(2)
    expect(topology.primary.name).toBe('redis-3')
    // redis-1 still considers itself a primary.
    topology.roleMayHaveChanged(servers[0]!)
    expect(topology.primaries.map(({ name }) => name)).toEqual(['redis-3'])
  })

  it('records what the promoted server lacks as lost by the replaced one', () => {
    const { facts, promote } = aPrimaryWithReplicas()
    promote(1)
    expect(facts).toEqual([
      expect.objectContaining({ type: 'topology', node: 'redis-2', what: 'promoted', other: 'redis-1' }),
      { type: 'data-lost', node: 'redis-1', cause: 'failover', redisKeys: ['a'] },
    ])
  })

  it('names the running replicas of priority 0 when another one is promoted', () => {
    const { facts, topology, servers, promote } = aPrimaryWithReplicas()
    servers[2]!.config.replicaPriority = 0
    promote(1)
    expect(facts[0]).toMatchObject({
      passedOver: ['redis-3'],
      sentence: expect.stringContaining('redis-3 must not be promoted'),
    })
    facts.length = 0
    topology.died(servers[2]!)
    servers[0]!.replication.role = 'slave'
    topology.roleMayHaveChanged(servers[0]!)
    promote(0)
    expect(facts.filter(({ type }) => type === 'topology')).toEqual([
      expect.not.objectContaining({ passedOver: expect.anything() }),
    ])
  })

  it('records no loss if the promoted server has everything', () => {
    const { facts, servers, promote } = aPrimaryWithReplicas()
    servers[1]!.keys.a = '1'
    promote(1)
    expect(facts.map(({ type }) => type)).toEqual(['topology'])
  })

  it('records a write to a replaced primary as lost, but not one to the actual primary', () => {
    const { facts, topology, servers, promote } = aPrimaryWithReplicas()
    promote(1)
    facts.length = 0
    topology.wrote(servers[1]!, ['b'])
    expect(facts).toEqual([])
    topology.wrote(servers[0]!, ['b'])
    expect(facts).toEqual([{ type: 'data-lost', node: 'redis-1', cause: 'split-brain', redisKeys: ['b'] }])
  })

  it('records the data of a dead primary without a disk and replicas as lost', () => {
    const facts: Fact[] = []
    const topology = new Topology({ fact: (fact: Fact) => facts.push(fact) } as unknown as Recorder)
    const primary = aServer('redis-1', 'master', { a: '1' })
    topology.add(primary, 0)
    // Belongs to another shard.
    topology.add(aServer('redis-2', 'master'), 1)
    topology.died(primary)
    const lost = { type: 'data-lost', node: 'redis-1', cause: 'restart', redisKeys: ['a'] }
    expect(facts).toEqual([lost])
    delete primary.keys.a
    topology.restarted(primary)
    expect(facts).toEqual([lost])
  })

  it.each([
    ['everything', { a: '1', b: '2' }, []],
    ['a part of it', { a: '1' }, [{ type: 'data-lost', node: 'redis-1', cause: 'failover', redisKeys: ['b'] }]],
  ])('records what the promoted replica of a dead primary without a disk lacks as lost: it has %s', (_, had, lost) => {
    const { facts, topology, servers, promote } = aPrimaryWithReplicas()
    servers[0]!.keys.b = '2'
    Object.assign(servers[1]!.keys, had)
    topology.died(servers[0]!)
    topology.died(servers[2]!)
    expect(facts).toEqual([])
    promote(1)
    expect(facts.filter(({ type }) => type !== 'topology')).toEqual(lost)
    // By then, it follows the promoted server.
    for (const key of ['a', 'b']) delete servers[0]!.keys[key]
    servers[0]!.replication.role = 'slave'
    topology.restarted(servers[0]!)
    expect(facts.filter(({ type }) => type !== 'topology')).toEqual(lost)
  })

  it('records the data of a primary without a disk as lost by a restart if it returns before a promotion', () => {
    const { facts, topology, servers } = aPrimaryWithReplicas()
    servers[1]!.keys.a = '1'
    topology.died(servers[0]!)
    delete servers[0]!.keys.a
    topology.restarted(servers[0]!)
    expect(facts).toEqual([{ type: 'data-lost', node: 'redis-1', cause: 'restart', redisKeys: ['a'] }])
  })

  it.each([
    [1000, ['a']],
    [1001, []],
  ])('records at %d ms a loss of %j by a restart, without keys that would have expired at 1000 ms', (ms, lost) => {
    const facts: Fact[] = []
    const primary = { ...aServer('redis-1', 'master', { a: '1' }), hasDisk: true }
    const topology = new Topology({ fact: (fact: Fact) => facts.push(fact) } as unknown as Recorder)
    topology.add(primary, 0)
    primary.clock.endsAtMs.a = 1000
    topology.died(primary)
    delete primary.keys.a
    primary.clock.nowMs = ms
    topology.restarted(primary)
    expect(facts).toEqual([{ type: 'data-lost', node: 'redis-1', cause: 'restart', redisKeys: lost }])
  })

  it.each([
    [1000, ['topology', 'data-lost']],
    [1001, ['topology']],
  ])('records at %d ms for a promotion %j, without keys that the dead primary would have expired', (ms, reported) => {
    const { facts, topology, servers, promote } = aPrimaryWithReplicas()
    servers[0]!.clock.endsAtMs.a = 1000
    topology.died({ ...servers[0]!, hasDisk: true })
    facts.length = 0
    servers[0]!.clock.nowMs = ms
    promote(1)
    expect(facts.map(({ type }) => type)).toEqual(reported)
  })

  it('follows the shard of the last write', () => {
    const { topology, servers } = aPrimaryWithReplicas()
    const other = aServer('redis-2a', 'master')
    topology.add(other, 1)
    expect([topology.primary.name, topology.isAtHand(other)]).toEqual(['redis-1', false])
    topology.wrote(other, ['b'])
    expect([topology.primary.name, topology.isAtHand(other)]).toEqual(['redis-2a', true])
    expect(topology.isAtHand(servers[0]!)).toBe(false)
  })
})
