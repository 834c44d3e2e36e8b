/**
 * Clients of other versions of ioredis than the layer’s own, and of node-redis, on a real server.
 */
import { afterEach, beforeEach, expect, it } from 'vitest'
import { adopt, type NodeRedis, type OnceOptions, type RedisAt } from '../../src/impl/once.ts'
import { buckets, closeLayers, freshMessage, layerAt, never, reportedBy } from './layers.ts'
import { describeOnRedis } from './real-redis.ts'

type Ioredis = RedisAt & { disconnect(): void; on(event: 'error', listener: () => void): unknown }
type Class = new (options: object) => Ioredis

const open = {
  4: async (at: object): Promise<Ioredis> => {
    // It has no types.
    const name: string = 'ioredis4'
    const { default: Redis }: { default: Class } = await import(name)
    return new Redis(at)
  },
  5: async (at: object): Promise<Ioredis> => new (await import('ioredis5')).Redis(at),
  6: async (at: object): Promise<Ioredis> => new (await import('ioredis')).Redis(at),
}

type CreateClient = (options: object) => NodeRedis & { readonly isOpen: boolean }

const nodeRedis = {
  4: async () => (await import('redis4')).createClient as CreateClient,
  5: async () => (await import('redis5')).createClient as CreateClient,
  6: async () => (await import('redis')).createClient as CreateClient,
}
/** Only version 6 has this option. */
const prefixed: Readonly<Record<4 | 5 | 6, { keyPrefix?: string }>> = { 4: {}, 5: {}, 6: { keyPrefix: 'app:' } }

describeOnRedis('a layer with a given client', (redis) => {
  let client: Ioredis | undefined
  beforeEach(async () => void (await adopt({ redis: redis.client, buckets, since: 0 })))
  afterEach(() => {
    client?.disconnect()
    closeLayers()
  })

  it.each([4, 5, 6] as const)('works as with its own client: ioredis %s', async (version) => {
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
    expect(reportedBy(replicated)).toBe('not-replicated: 0 of 1 replicas acknowledged the begin')
  })

  it('recovers after its connections were cut and Redis was down', async () => {
    const given = await open[5]({ host: '127.0.0.1', port: redis.port })
    client = given
    given.on('error', () => {}) // the application’s own client, which the layer does not use
    const once = layerAt(given, { leaseMs: 6000 })
    await once.run(freshMessage(), async () => 1)
    await redis.restart()
    await adopt({ redis: redis.client, buckets, since: 0 })
    expect(await once.run(freshMessage(), async () => 1)).toMatchObject({ status: 'done' })
  })

  it.each([4, 5, 6] as const)(
    'works as with its own client, and does not change the given one: node-redis %s',
    async (version) => {
      const { keyPrefix = '' } = prefixed[version]
      const given = (await nodeRedis[version]())({ url: `redis://127.0.0.1:${redis.port}/0`, ...prefixed[version] })
      await adopt({ redis: given, buckets, since: 0 })
      const once = layerAt(given, { leaseMs: 400, sink: { kind: 'plain', settledByHand: true } })
      const message = freshMessage()
      const done = { status: 'done', result: { id: 'ü' } }
      expect(await once.run(message, async () => ({ id: 'ü' }))).toEqual({ ...done, repeated: false })
      await redis.client.script('FLUSH')
      expect(await once.run(message, never)).toEqual({ ...done, repeated: true })
      expect(await redis.client.keys(`${keyPrefix}once:*:${message.key}`)).toHaveLength(1)
      const lost = freshMessage()
      await once.run(lost, () => Promise.reject(new Error('502')))
      while ((await once.status(lost.key)).status === 'held');
      for await (const doubt of once.doubts())
        expect(await once.settle(doubt, { status: 'barred' })).toEqual({ status: 'open' })
      expect(await once.status(lost.key)).toEqual({ status: 'open' })
      const replicated = await layerAt(given, { replicas: 1 }).run(freshMessage(), never)
      expect(reportedBy(replicated)).toBe('not-replicated: 0 of 1 replicas acknowledged the begin')
      expect(given.isOpen).toBe(false)
    },
  )

  it('recovers after cut connections and a restart of Redis with node-redis', async () => {
    const once = layerAt((await nodeRedis[6]())({ url: `redis://127.0.0.1:${redis.port}` }), { leaseMs: 6000 })
    await once.run(freshMessage(), async () => 1)
    await redis.restart()
    await adopt({ redis: redis.client, buckets, since: 0 })
    expect(await once.run(freshMessage(), async () => 1)).toMatchObject({ status: 'done' })
  })

  it('refuses by name a client that resends commands, has several servers, or is not a client', async () => {
    const { createClientPool, createCluster, createSentinel } = await import('redis')
    const servers = [{ host: 'localhost', port: 1 }]
    const refused: [unknown, RegExp][] = [
      [
        createSentinel({ name: 'main', sentinelRootNodes: servers }),
        /^redis: its client for Sentinels repeats commands/,
      ],
      [createCluster({ rootNodes: [{ url: 'redis://localhost' }] }), /^redis: a Cluster needs ioredis/],
      [createClientPool(), /^redis: a pool shares its connections/],
      [{ duplicate() {} }, /^redis: not a client of ioredis or node-redis: give the address/],
      [
        { sentinels: servers, name: 'main', client: {} },
        /^redis: with `sentinels`, `client` and `sentinelClient` must/,
      ],
    ]
    for (const [given, why] of refused) expect(() => layerAt(given as RedisAt)).toThrow(why)
  })
})
