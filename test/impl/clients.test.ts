/** Clients of other copies of ioredis than the layer's own, on a real server. */
import { afterEach, beforeEach, expect, it } from 'vitest'
import { adopt, type OnceOptions, type RedisAt } from '../../src/impl/once.ts'
import { buckets, closeLayers, freshMessage, layerAt, never, toldBy } from './layers.ts'
import { describeOnRedis } from './real-redis.ts'

type Ioredis = RedisAt & { disconnect(): void; on(event: 'error', listener: () => void): unknown }
type Class = new (options: object) => Ioredis

const open = {
  4: async (at: object): Promise<Ioredis> => {
    // It brings no types of its own.
    const name: string = 'ioredis4'
    const { default: Redis }: { default: Class } = await import(name)
    return new Redis(at)
  },
  5: async (at: object): Promise<Ioredis> => new (await import('ioredis5')).Redis(at),
  6: async (at: object): Promise<Ioredis> => new (await import('ioredis')).Redis(at),
}

describeOnRedis('a layer that is given a client', (redis) => {
  let client: Ioredis | undefined
  beforeEach(async () => void (await adopt({ redis: redis.client, buckets, since: 0 })))
  afterEach(() => {
    client?.disconnect()
    closeLayers()
  })

  it.each([4, 5, 6] as const)('of ioredis %s works as with its own', async (version) => {
    const given = await open[version]({ host: '127.0.0.1', port: redis.port, keyPrefix: 'app:' })
    client = given
    await adopt({ redis: given, buckets, since: 0 })
    const layer = (options: Partial<OnceOptions> = {}) =>
      layerAt(given, { leaseMs: 400, sink: { kind: 'plain', settledByHand: true }, ...options })
    const once = layer()
    const message = freshMessage()
    expect(await once.run(message, async () => ({ id: 1 }))).toEqual({
      status: 'done',
      result: { id: 1 },
      repeated: false,
    })
    await redis.client.script('FLUSH')
    expect(await once.run(message, never)).toEqual({ status: 'done', result: { id: 1 }, repeated: true })
    const lost = freshMessage()
    await once.run(lost, () => Promise.reject(new Error('502')))
    while ((await once.status(lost.key)).status === 'held');
    for await (const doubt of once.doubts())
      expect(await once.settle(doubt, { status: 'barred' })).toEqual({ status: 'open' })
    expect(await once.status(lost.key)).toEqual({ status: 'open' })
    const replicated = await layer({ replicas: 1 }).run(freshMessage(), never)
    expect(toldBy(replicated)).toBe('not-replicated: 0 of 1 replicas acknowledged the begin')
  })

  it('comes back after its connections were cut and Redis was away', async () => {
    const given = await open[5]({ host: '127.0.0.1', port: redis.port })
    client = given
    given.on('error', () => {}) // the application's own, which nobody asks anything
    const once = layerAt(given, { leaseMs: 6000 })
    await once.run(freshMessage(), async () => 1)
    await redis.restart()
    await adopt({ redis: redis.client, buckets, since: 0 })
    expect(await once.run(freshMessage(), async () => 1)).toMatchObject({ status: 'done' })
  })

  it('of another library is told what to give in its place', async () => {
    const { createClient } = await import('redis')
    const given = createClient({ url: `redis://127.0.0.1:${redis.port}` })
    expect(() => layerAt(given as unknown as RedisAt)).toThrow(/^redis: this is no client of ioredis: give the address/)
  })
})
