import { describe, expect, it } from 'vitest'
import type { Reply } from '../src/resp/reply.ts'
import { encode, ServerByHand } from './server-by-hand.ts'

describe('a connection', () => {
  it('executes one command in each step, and no command before a step', () => {
    const world = new ServerByHand()
    const client = world.client()
    client.connection.feed(encode('SET a 1') + encode('GET a'))
    expect(client.connection.pending).toBe(2)
    expect(client.taken()).toBe('')
    expect(client.connection.step()).toBe(true)
    expect(client.taken()).toBe('+OK\r\n')
    expect(client.connection.pending).toBe(1)
    expect(client.connection.step()).toBe(true)
    expect(client.connection.step()).toBe(false)
    expect(client.taken()).toBe('$1\r\n1\r\n')
  })

  it('accepts bytes in pieces of any size', () => {
    const bytes = `${encode('SET key value')}PING\r\n${encode('GET key')}`
    for (let cut = 1; cut < bytes.length; cut++) {
      const client = new ServerByHand().client()
      const answered = client.raw(bytes.slice(0, cut)) + client.raw(bytes.slice(cut))
      expect(answered).toBe('+OK\r\n+PONG\r\n$5\r\nvalue\r\n')
    }
  })

  it('executes nothing and writes nothing after its peer has closed', () => {
    const world = new ServerByHand()
    const client = world.client()
    client.connection.feed(encode('SET a 1'))
    client.connection.close()
    expect(client.connection.step()).toBe(false)
    expect(client.taken()).toBe('')
    expect(world.client().run('EXISTS a')).toBe(':0\r\n')
    expect(world.server.connections.size).toBe(1)
  })

  it('answers earlier commands, then reports a protocol error and closes', () => {
    const client = new ServerByHand().client()
    expect(client.raw(`${encode('PING')}*1\r\n!`)).toBe('+PONG\r\n')
    expect(client.raw('x\r\n')).toBe("-ERR Protocol error: expected '$', got '!'\r\n")
    expect(client.closedByServer).toBe(true)
    expect(client.run('PING')).toBe('')
  })

  it('neither executes nor answers a command that beforeCommand drops', () => {
    const world = new ServerByHand({}, { beforeCommand: (_id, args) => (args[0] === 'SET' ? 'drop' : 'run') })
    const client = world.client()
    expect(client.run('SET a 1')).toBe('')
    expect(client.run('GET a')).toBe('$-1\r\n')
  })

  it('reports executed commands with their replies, in order, before the reply is written', () => {
    const reported: [number, readonly string[], Reply, string][] = []
    const world = new ServerByHand(
      {},
      { executed: (id, args, reply) => reported.push([id, args, reply, client.written]) },
    )
    const client = world.client()
    client.run('INCR n')
    client.run('GET n')
    expect(reported).toEqual([
      [client.connection.id, ['INCR', 'n'], 1, ''],
      [client.connection.id, ['GET', 'n'], '1', ''],
    ])
  })

  it('blocks in WAIT until the timeout, and executes later commands only afterwards', () => {
    const world = new ServerByHand()
    const client = world.client()
    client.connection.receive(encode('WAIT 1 100') + encode('PING'))
    world.pass(99)
    expect(client.taken()).toBe('')
    expect(client.connection.isBlocked).toBe(true)
    world.pass(1)
    expect(client.taken()).toBe(':0\r\n+PONG\r\n')
  })

  it('leaves no timer behind when a blocked client closes', () => {
    const world = new ServerByHand()
    const client = world.client()
    client.run('WAIT 1 100')
    expect(world.timersWaiting).toBe(1)
    client.connection.close()
    expect(world.timersWaiting).toBe(0)
  })

  it('requires the password first, in AUTH or HELLO', () => {
    const world = new ServerByHand({ requirepass: 'secret' })
    const client = world.client()
    expect(client.run('GET a')).toBe('-NOAUTH Authentication required.\r\n')
    expect(client.run('AUTH wrong')).toMatch(/^-WRONGPASS /)
    expect(client.run('GET a')).toMatch(/^-NOAUTH /)
    expect(client.run('AUTH secret')).toBe('+OK\r\n')
    expect(client.run('GET a')).toBe('$-1\r\n')
    expect(world.client().run('HELLO 3')).toMatch(/^-NOAUTH HELLO must be called/)
    expect(world.client().run('HELLO 3 AUTH default secret')).toMatch(/^%7\r\n/)
    expect(world.client().raw('*11\r\n')).toBe('-ERR Protocol error: unauthenticated multibulk length\r\n')
    expect(world.client().raw('*1\r\n$16385\r\n')).toBe('-ERR Protocol error: unauthenticated bulk length\r\n')
  })

  it('refuses commands that would need unbounded memory, and reports them as unsupported', () => {
    const world = new ServerByHand()
    const client = world.client()
    client.run('SADD s a b')
    expect(client.run('SRANDMEMBER s -9223372036854775807')).toBe('-ERR value is out of range\r\n')
    expect(client.run('SETRANGE k 400000000 x')).toMatch(/^-ERR string exceeds maximum allowed size/)
    expect(world.unsupported).toEqual(['a random choice of more than a million', 'a string longer than 256 MB'])
    expect(client.run('SRANDMEMBER s -3')).toMatch(/^\*3\r\n/)
    expect(client.raw(`*100002\r\n$5\r\nLPUSH\r\n$1\r\nl\r\n${'$1\r\nx\r\n'.repeat(100_000)}`)).toBe(':100000\r\n')
  })
})
