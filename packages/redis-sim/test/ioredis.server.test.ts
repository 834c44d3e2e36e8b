import { Redis } from 'ioredis'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { listen } from '../src/tcp.ts'

describe('unmodified ioredis against the simulated server', () => {
  let served: Awaited<ReturnType<typeof listen>>
  let client: Redis
  let unsupported: string[]
  beforeEach(async () => {
    unsupported = []
    served = await listen({ environment: { unsupported: (what) => unsupported.push(what) } })
    client = new Redis({ port: served.port, retryStrategy: () => null })
  })
  afterEach(async () => {
    client.disconnect()
    await served.close()
  })

  it('becomes ready with default options, as with Redis 7.0.15', async () => {
    await new Promise<void>((resolve) => client.once('ready', resolve))
    expect(client.status).toBe('ready')
    expect(unsupported).toEqual([])
    expect(await client.info('server')).toContain('redis_version:7.0.15\r\n')
  })

  it('sets, gets and reads hashes', async () => {
    expect(await client.set('k', 'v', 'PX', 1000, 'NX')).toBe('OK')
    expect(await client.set('k', 'w', 'NX')).toBeNull()
    expect(await client.get('k')).toBe('v')
    expect(await client.hset('h', { a: '1', b: 'ü' })).toBe(2)
    expect(await client.hgetall('h')).toEqual({ a: '1', b: 'ü' })
  })

  it('runs transactions, and aborts them after a change of a watched key', async () => {
    expect(await client.multi().incr('n').get('n').exec()).toEqual([
      [null, 1],
      [null, '1'],
    ])
    const other = client.duplicate()
    await client.watch('n')
    await other.incr('n')
    expect(await client.multi().incr('n').exec()).toBeNull()
    other.disconnect()
  })

  it('runs scripts by their hash, and by their body after NOSCRIPT', async () => {
    client.defineCommand('swap', {
      numberOfKeys: 1,
      lua: "local old = redis.call('GET', KEYS[1]) redis.call('SET', KEYS[1], ARGV[1]) return old",
    })
    const scripted = client as unknown as { swap(key: string, value: string): Promise<string | null> }
    expect(await scripted.swap('k', 'first')).toBeNull()
    expect(await scripted.swap('k', 'second')).toBe('first')
    await client.script('FLUSH')
    expect(await scripted.swap('k', 'third')).toBe('second')
    await expect(client.evalsha('f'.repeat(40), 0)).rejects.toThrow('NOSCRIPT No matching script. Please use EVAL.')
  })

  it('reports an unsupported command', async () => {
    await expect(client.call('LOLWUT')).rejects.toThrow("ERR unknown command 'LOLWUT'")
    expect(unsupported).toEqual(['LOLWUT'])
  })
})
