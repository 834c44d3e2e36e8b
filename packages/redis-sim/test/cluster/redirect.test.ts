import { describe, expect, it } from 'vitest'
import { keySlot } from '../../src/cluster/key-slot.ts'
import { ClientByHand, ServerByHand } from '../server-by-hand.ts'
import { ClusterByHand } from './cluster-by-hand.ts'

const down = '-CLUSTERDOWN The cluster is down\r\n'
/**
 * The redirection for the key `a`: its slot 15495 is on the third shard. The slot of `{b}` is 3300,
 * on the first shard.
 */
const moved = '-MOVED 15495 10.0.2.1:6379\r\n'

describe('the slot of a key', () => {
  it('is the CRC16 of the key, or of the part between its first braces', () => {
    // 0x31c3 is the published check value of CRC16/XMODEM.
    expect(keySlot('123456789')).toBe(0x31c3)
    expect(keySlot('{b}x')).toBe(keySlot('b'))
    expect(keySlot('x{b}{c}')).toBe(keySlot('b'))
    expect(keySlot('{}b')).not.toBe(keySlot('b'))
    expect(keySlot('{}b')).not.toBe(keySlot(''))
  })
})

describe('a node of a Cluster', () => {
  const cluster = ClusterByHand.settled()

  it('serves its own keys, and redirects commands on other keys to the node of the key', () => {
    expect(cluster.run('a', 'set {b}x 1')).toBe('+OK\r\n')
    expect(cluster.run('a', 'set a 1')).toBe(moved)
    expect(cluster.run('a', 'ping')).toBe('+PONG\r\n')
  })

  it('refuses a command with keys of several slots, even if the node serves all these slots', () => {
    expect(cluster.run('a', 'mset {b}x 1 {b}y 2')).toBe('+OK\r\n')
    expect(cluster.run('a', 'mset b 1 f 2')).toBe("-CROSSSLOT Keys in request don't hash to the same slot\r\n")
  })

  it('redirects commands of a transaction one by one, and aborts EXEC', () => {
    const client = cluster.client('a')
    expect(client.run('multi')).toBe('+OK\r\n')
    expect(client.run('set a 1')).toBe(moved)
    expect(client.run('exec')).toContain('EXECABORT')
  })

  it('checks the keys that a script declares, and those that it accesses', () => {
    expect(cluster.run('a', 'eval return(1) 1 a')).toBe(moved)
    expect(cluster.run('a', "eval return(redis.call('get',KEYS[1])) 1 {b}x")).toBe('$1\r\n1\r\n')
    expect(cluster.run('a', "eval return(redis.call('get','a')) 1 {b}x")).toContain(
      'Script attempted to access a non local key in a cluster node',
    )
  })

  it('serves reads as a replica only after READONLY, and never writes', () => {
    cluster.lab.pass(5)
    const client = cluster.client('a1')
    expect(client.run('get {b}x')).toBe('-MOVED 3300 10.0.0.1:6379\r\n')
    expect(client.run('readonly')).toBe('+OK\r\n')
    expect(client.run('get {b}x')).toBe('$1\r\n1\r\n')
    expect(client.run('set {b}x 2')).toBe('-MOVED 3300 10.0.0.1:6379\r\n')
    expect(client.run('get a')).toBe(moved)
    expect(client.run('readwrite')).toBe('+OK\r\n')
    expect(client.run('get {b}x')).toBe('-MOVED 3300 10.0.0.1:6379\r\n')
  })

  it('has one database, and refuses REPLICAOF', () => {
    expect(cluster.run('a', 'select 1')).toBe('-ERR SELECT is not allowed in cluster mode\r\n')
    expect(cluster.run('a', 'select 0')).toBe('+OK\r\n')
    expect(cluster.run('a', 'replicaof no one')).toBe('-ERR REPLICAOF not allowed in cluster mode.\r\n')
  })

  it('counts the keys of a slot', () => {
    expect(cluster.run('a', 'cluster keyslot {b}x')).toBe(':3300\r\n')
    expect(cluster.run('a', 'cluster countkeysinslot 3300')).toBe(':2\r\n')
    expect(cluster.run('a', 'cluster getkeysinslot 3300 1')).toBe('*1\r\n$4\r\n{b}y\r\n')
  })

  it('forwards a message to the clients of all nodes', () => {
    const client = cluster.client('c1')
    client.run('subscribe news')
    const before = client.written.length
    expect(cluster.run('a', 'publish news hello')).toBe(':0\r\n')
    cluster.lab.pass(5)
    expect(client.written.slice(before)).toContain('hello')
  })
})

it('a server outside a Cluster refuses CLUSTER, READONLY and ASKING', () => {
  const client = new ServerByHand().client()
  for (const words of ['cluster info', 'readonly', 'asking'])
    expect(client.run(words)).toBe('-ERR This instance has cluster support disabled\r\n')
})

describe('a Cluster that does not cover all slots', () => {
  const uncovered = (config: object) => {
    const cluster = ClusterByHand.settled({ replicas: 0, config })
    cluster.die('c')
    cluster.lab.until(() => cluster.cluster('a').nodes[2]!.failure === 'fail', 5000)
    cluster.lab.pass(100)
    return cluster
  }

  it('refuses all commands with keys', () => {
    const cluster = uncovered({})
    expect(cluster.run('a', 'get {b}x')).toBe(down)
    expect(cluster.run('a', 'ping')).toBe('+PONG\r\n')
    expect(cluster.run('a', 'cluster info')).toContain('cluster_state:fail')
  })

  it('serves the covered slots without cluster-require-full-coverage', () => {
    const cluster = uncovered({ clusterRequireFullCoverage: false })
    expect(cluster.run('a', 'set {b}x 1')).toBe('+OK\r\n')
    expect(cluster.run('a', 'set a 1')).toBe(moved)
  })

  it('serves reads with cluster-allow-reads-when-down', () => {
    const cluster = uncovered({ clusterAllowReadsWhenDown: true })
    expect(cluster.run('a', 'get {b}x')).toBe('$-1\r\n')
    expect(cluster.run('a', 'set {b}x 1')).toBe('-CLUSTERDOWN The cluster is down and only accepts read commands\r\n')
  })

  it('is reported by a node that is alone, because the slots have no owner', () => {
    const alone = new ServerByHand({ clusterEnabled: true }, { wires: { dial: () => ({ write() {}, close() {} }) } })
    alone.pass(3000)
    expect(new ClientByHand(alone.server).run('get a')).toBe('-CLUSTERDOWN Hash slot not served\r\n')
  })
})
