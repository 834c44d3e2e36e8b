import { describe, expect, it } from 'vitest'
import { ClusterByHand } from './cluster-by-hand.ts'

const names = ['a', 'a1', 'b', 'b1', 'c', 'c1']

describe('a primary that dies', () => {
  it('is replaced by its replica after the timeout and a vote, and its slots are served again', () => {
    const cluster = ClusterByHand.settled()
    cluster.run('a', 'set {b}x 1')
    cluster.lab.pass(10)
    cluster.die('a')
    const tookMs = cluster.lab.until(() => cluster.isPrimary('a1'), 10_000)
    expect(tookMs).toBeGreaterThan(1000 + 500)
    expect(tookMs).toBeLessThan(1000 + 500 + 2500)
    cluster.lab.until(() => names.slice(1).every((name) => cluster.state(name) === 'ok'), 2000)
    expect(cluster.run('b', 'get {b}x')).toBe('-MOVED 3300 10.0.0.2:6379\r\n')
    expect(cluster.run('a1', 'get {b}x')).toBe('$1\r\n1\r\n')
    expect(cluster.cluster('a1').myself.configEpoch).toBeGreaterThan(3)
  })

  it('returns as a replica of its successor, without data that the successor lacks', () => {
    const cluster = ClusterByHand.settled()
    cluster.lab.cut([cluster.machine('a')], [cluster.machine('a1')])
    cluster.run('a', 'set {b}lost 1')
    cluster.die('a')
    cluster.lab.until(() => cluster.isPrimary('a1'), 10_000)
    cluster.lab.heal()
    cluster.revive('a')
    expect(cluster.isPrimary('a')).toBe(true)
    cluster.lab.until(() => !cluster.isPrimary('a'), 5000)
    cluster.lab.pass(1000)
    expect(cluster.run('a1', 'get {b}lost')).toBe('$-1\r\n')
    expect(cluster.run('a', 'cluster nodes')).toMatch(/myself,slave (a1){20}/)
  })

  it('is not replaced if too few primaries are left to agree', () => {
    const cluster = ClusterByHand.settled()
    cluster.die('a')
    cluster.die('b')
    cluster.lab.pass(20_000)
    expect(['a1', 'b1'].map((name) => cluster.isPrimary(name))).toEqual([false, false])
    expect(cluster.state('c')).toBe('fail')
  })

  it('is not replaced by a replica with failover disabled, or with data that is too old', () => {
    for (const config of [
      { clusterReplicaNoFailover: true },
      { replPingReplicaPeriod: 1, clusterReplicaValidityFactor: 1 },
    ]) {
      const cluster = ClusterByHand.settled({ config })
      cluster.lab.cut([cluster.machine('a')], [cluster.machine('a1')])
      cluster.lab.pass(8000)
      cluster.die('a')
      cluster.lab.pass(10_000)
      expect(cluster.isPrimary('a1')).toBe(false)
    }
  })
})

describe('a replica that loads the data of its primary', () => {
  it('is not promoted during loading, but stands for election afterwards', () => {
    const cluster = ClusterByHand.settled({ config: { loadingUs: 5_000_000, clusterReplicaValidityFactor: 0 } })
    const { server } = cluster.machine('a1')
    cluster.lab.until(() => !server!.isLoading, 10_000)
    cluster.die('a')
    cluster.lab.pass(1000)
    cluster.revive('a')
    cluster.lab.until(() => server!.isLoading, 10_000)
    cluster.die('a')
    cluster.lab.until(() => !server!.isLoading, 10_000)
    expect(cluster.isPrimary('a1')).toBe(false)
    cluster.lab.until(() => cluster.isPrimary('a1'), 10_000)
    cluster.lab.pass(3000)
    expect(cluster.run('a1', 'set {b}x 1')).toBe('+OK\r\n')
  })
})

describe('an election', () => {
  it('is won by the replica with more data', () => {
    const cluster = ClusterByHand.settled({ replicas: 2 })
    cluster.lab.cut([cluster.machine('a')], [cluster.machine('a1')])
    cluster.run('a', 'set {b}x 1')
    cluster.lab.pass(300)
    cluster.die('a')
    cluster.lab.until(() => cluster.isPrimary('a1') || cluster.isPrimary('a2'), 10_000)
    expect(cluster.isPrimary('a2')).toBe(true)
    cluster.lab.pass(3000)
    expect(cluster.isPrimary('a1')).toBe(false)
    expect(cluster.run('a1', 'cluster nodes')).toMatch(/myself,slave (a2){20}/)
  })

  it('counts one vote of each primary per epoch, so that only one replica wins', () => {
    const cluster = ClusterByHand.settled({ replicas: 2 })
    cluster.die('a')
    cluster.lab.until(() => cluster.isPrimary('a1') || cluster.isPrimary('a2'), 10_000)
    cluster.lab.pass(3000)
    expect([cluster.isPrimary('a1'), cluster.isPrimary('a2')].filter((leads) => leads)).toHaveLength(1)
    const epochs = ['b', 'c'].map((name) => cluster.cluster(name).lastVoteEpoch)
    expect(epochs).toEqual(epochs.map(() => cluster.cluster('b').currentEpoch))
  })
})

describe('a primary that is cut off', () => {
  it('serves until the timeout, then refuses commands, and is replaced by its replica only afterwards', () => {
    const cluster = ClusterByHand.settled()
    cluster.isolate('a')
    cluster.lab.pass(900)
    expect(cluster.run('a', 'set {b}x 1')).toBe('+OK\r\n')
    cluster.lab.until(() => cluster.state('a') === 'fail', 2000)
    expect(cluster.run('a', 'set {b}x 2')).toBe('-CLUSTERDOWN The cluster is down\r\n')
    expect(cluster.isPrimary('a1')).toBe(false)
    cluster.lab.until(() => cluster.isPrimary('a1'), 10_000)
    cluster.lab.heal()
    cluster.lab.until(() => !cluster.isPrimary('a'), 5000)
    cluster.lab.until(() => names.every((name) => cluster.state(name) === 'ok'), 5000)
    expect(cluster.run('a', 'set {b}x 3')).toBe('-MOVED 3300 10.0.0.2:6379\r\n')
  })

  it('serves again after the partition if its replica was cut off, too, because no replica replaced it', () => {
    const cluster = ClusterByHand.settled()
    cluster.isolate('a', 'a1')
    cluster.lab.until(() => cluster.state('a') === 'fail' && cluster.state('b') === 'fail', 5000)
    cluster.lab.pass(5000)
    cluster.lab.heal()
    cluster.lab.until(() => names.every((name) => cluster.state(name) === 'ok'), 5000)
    expect(cluster.run('a', 'set {b}x 1')).toBe('+OK\r\n')
    expect(cluster.isPrimary('a1')).toBe(false)
  })

  it('continues to serve if only a replica is unreachable', () => {
    const cluster = ClusterByHand.settled()
    cluster.isolate('a1')
    cluster.lab.pass(5000)
    expect(cluster.run('a', 'set {b}x 1')).toBe('+OK\r\n')
    expect(cluster.run('b', 'cluster nodes')).toMatch(/slave,fail /)
  })
})

it('if two primaries have the same epoch, one of them takes a new epoch', () => {
  const cluster = ClusterByHand.settled()
  cluster.cluster('a').myself.configEpoch = 3
  cluster.lab.pass(3000)
  const epochs = ['a', 'b', 'c'].map((name) => cluster.cluster(name).myself.configEpoch)
  expect(new Set(epochs).size).toBe(3)
})
