/**
 * The number of replicas that must acknowledge, from the answers of Sentinels and nodes, and the
 * epoch of a primary.
 */
import { describe, expect, it } from 'vitest'
import { byNode, bySentinel, mustAcknowledge } from '../../src/impl/known-replicas.ts'
import { primaryEpochOf } from '../../src/impl/primary-epoch.ts'

const replica = (priority: number, flags = 'slave') => ['name', 'r', 'flags', flags, 'slave-priority', String(priority)]
const master = (replicas: number) => ['name', 'main', 'num-slaves', String(replicas)]
const mustBySentinel = (all: number, ...replicas: string[][]) =>
  mustAcknowledge(bySentinel('main', master(all), replicas))

describe('for the replicas that Sentinel knows,', () => {
  it('all must acknowledge, even those that are down', () => {
    expect(mustBySentinel(2, replica(100), replica(100, 's_down,slave,disconnected'))).toBe(2)
    expect(mustBySentinel(0)).toBe(0)
  })

  it('a replica that cannot be elected must acknowledge if another replica can be elected', () => {
    expect(mustBySentinel(2, replica(100), replica(0))).toBe(2)
  })

  it('no acknowledgement is required if no replica can be elected', () => {
    expect(mustBySentinel(2, replica(0), replica(0))).toBe(0)
  })

  it('a replica that is not announced must acknowledge, although it is not listed', () => {
    expect(mustBySentinel(2, replica(0))).toBe(2)
    expect(mustBySentinel(1)).toBe(1)
  })

  it('an answer without the number of replicas is an error', () => {
    expect(() => bySentinel('main', ['name', 'main'], [replica(100)])).toThrow('does not say how many')
  })
})

describe('for the nodes of a Cluster,', () => {
  const node = (id: string, flags: string, of = '-') => `${id} 10.0.0.1:7000@17000 ${flags} ${of} 0 0 1 connected`
  const must = (...nodes: string[]) => mustAcknowledge(byNode(`${nodes.join('\n')}\n`))

  it('every replica of the primary itself must acknowledge, even failed ones', () => {
    const others = [node('b', 'master'), node('d', 'slave', 'b')]
    expect(must(node('a', 'myself,master'), ...others)).toBe(0)
    expect(must(node('a', 'myself,master'), node('c', 'slave', 'a'), node('e', 'slave,fail', 'a'), ...others)).toBe(2)
  })

  it('no acknowledgement is required if no replica may fail over', () => {
    expect(must(node('a', 'myself,master'), node('c', 'slave,nofailover', 'a'))).toBe(0)
    expect(must(node('a', 'myself,master'), node('c', 'slave,nofailover', 'a'), node('e', 'slave', 'a'))).toBe(2)
  })

  it('the answer of a node that is not a primary is an error', () => {
    expect(() => must(node('a', 'myself,slave', 'b'), node('b', 'master'))).toThrow('not a primary')
    expect(() => must('ERR')).toThrow('not a primary')
  })
})

describe('the epoch of a primary', () => {
  const info = (role: string, ...replicas: string[]) =>
    `# Replication\r\nrole:${role}\r\n${replicas.join('')}master_replid:abc\r\nmaster_replid2:def\r\n`

  it('consists of role and replication id, with the number of replicas that can acknowledge', () => {
    const online = 'slave0:ip=10.0.0.2,port=1,state=online,offset=5,lag=0\r\n'
    const syncing = 'slave1:ip=10.0.0.3,port=1,state=wait_bgsave,offset=0,lag=0\r\n'
    expect(primaryEpochOf(info('master', online, syncing))).toEqual({ primary: true, replid: 'abc', attached: 1 })
    expect(primaryEpochOf(info('slave'))).toEqual({ primary: false, replid: 'abc', attached: 0 })
  })
})
