import { describe, expect, it } from 'vitest'
import { ServerByHand } from './server-by-hand.ts'

describe('expiry', () => {
  it('keeps a key at its deadline, and not a millisecond longer', () => {
    const world = new ServerByHand()
    const client = world.client()
    client.run('SET a 1 PX 10')
    world.pass(10)
    expect(client.run('GET a')).toBe('$1\r\n1\r\n')
    expect(client.run('PTTL a')).toBe(':0\r\n')
    world.pass(1)
    expect(client.run('GET a')).toBe('$-1\r\n')
    expect(client.run('PTTL a')).toBe(':-2\r\n')
  })

  it('counts in whole milliseconds: the key lives until the last microsecond of its deadline', () => {
    const world = new ServerByHand()
    const client = world.client()
    client.run('SET a 1 PX 10')
    world.nowUs += 10_999
    expect(client.run('EXISTS a')).toBe(':1\r\n')
    world.nowUs += 1
    expect(client.run('EXISTS a')).toBe(':0\r\n')
  })

  it('needs no timer, so that an idle server does not prolong a run', () => {
    const world = new ServerByHand()
    world.client().run('SET a 1 PX 10')
    expect(world.timersWaiting).toBe(0)
  })

  it('does not hide expired keys from DBSIZE until they are deleted', () => {
    const world = new ServerByHand()
    const client = world.client()
    client.run('MSET a 1 b 2')
    client.run('PEXPIRE a 10')
    expect(world.server.countKeys()).toEqual({ keys: 2, withoutExpiry: 1 })
    world.pass(11)
    expect(world.server.countKeys()).toEqual({ keys: 1, withoutExpiry: 1 })
    // DBSIZE counts expired keys until they are deleted, as in real Redis.
    expect(client.run('DBSIZE')).toBe(':2\r\n')
    expect(client.run('KEYS *')).toBe('*1\r\n$1\r\nb\r\n')
  })

  it('aborts a transaction whose watched key has expired, even if no command has accessed the key since', () => {
    const world = new ServerByHand()
    const client = world.client()
    client.run('SET a 1 PX 10')
    client.run('WATCH a')
    world.pass(11)
    client.run('MULTI')
    expect(client.run('EXEC')).toBe('*-1\r\n')
  })

  it('uses the same time throughout a transaction or a script', () => {
    const world = new ServerByHand({}, { executed: () => {} })
    const client = world.client()
    client.run('SET a 1 PX 10')
    // The clock advances each time it is read.
    const { server } = world
    let reads = 0
    Object.assign(server.environment, { nowUs: () => world.nowUs + reads++ * 8000 })
    const script = "redis.call('PTTL', KEYS[1]) redis.call('TIME') redis.call('TIME') return redis.call('GET', KEYS[1])"
    expect(client.raw(`*4\r\n$4\r\nEVAL\r\n$${script.length}\r\n${script}\r\n$1\r\n1\r\n$1\r\na\r\n`)).toBe(
      '$1\r\n1\r\n',
    )
    expect(client.run('GET a')).toBe('$-1\r\n')
  })
})
