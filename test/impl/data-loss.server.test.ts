/**
 * What a caller of the layer observes if Redis loses data, may lose data, or never had them, on a
 * real server.
 */
import { afterEach, beforeEach, expect, it } from 'vitest'
import { generationName } from '../../src/impl/identity.ts'
import { adopt, createOnce, type Once, type OnceOptions } from '../../src/impl/once.ts'
import { describeOnRedis } from './real-redis.ts'

const buckets = 8
const producedAt = Date.now()
const message = { key: 'k', payload: 1, producedAt }
const never = async (): Promise<never> => expect.fail('an effect that must not be performed')

describeOnRedis('a loss of data', (redis) => {
  const open: Once[] = []
  afterEach(() => {
    for (const once of open.splice(0)) once.close()
  })
  const layer = (sink?: OnceOptions['sink']) => {
    const times = { leaseMs: 30_000, retentionMs: 600_000 }
    const once = createOnce({
      redis: redis.client,
      replicas: 0,
      isRefusal: () => false,
      buckets,
      ...times,
      ...(sink === undefined ? {} : { sink }),
    })
    open.push(once)
    return once
  }
  const generations = () => redis.client.exists(Array.from({ length: buckets }, (_, at) => generationName(at, buckets)))
  const vouch = (since: number) => adopt({ redis: redis.client, buckets, since })
  beforeEach(async () => {
    expect(await vouch(0)).toEqual({ status: 'adopted', buckets, kept: 0 })
  })

  it.each([
    ['a restart', () => redis.restart()],
    ['a flush', () => redis.client.flushall()],
  ] as const)('by %s puts an effect with a lost record in doubt, without a repeat', async (_, lose) => {
    expect(await layer().run(message, async () => 5)).toMatchObject({ status: 'done' })
    await lose()
    expect(await layer().run(message, never)).toMatchObject({ status: 'in-doubt', reason: 'older-than-the-data' })
  })

  it('leaves the stored result of a record that was not lost', async () => {
    await layer().run(message, async () => 5)
    expect(await layer().run(message, never)).toEqual({ status: 'done', result: 5, repeated: true })
  })

  it.each([
    ['applied', { status: 'applied', result: 7 }, { status: 'done', result: 7, repeated: true }],
    ['unknown', { status: 'unknown' }, { status: 'in-doubt', reason: 'reconcile-unknown' }],
  ] as const)('is settled by reconcile: %s', async (_, answer, outcome) => {
    await redis.client.flushall()
    const asked: { fence: number }[] = []
    const reconcile = async (doubt: { fence: number }) => {
      asked.push(doubt)
      return answer
    }
    expect(await layer({ kind: 'plain', reconcile }).run(message, never)).toMatchObject(outcome)
    const unknown = { begunAt: null, process: null, attempt: null, meta: null }
    expect(asked).toEqual([{ ...message, reason: 'older-than-the-data', fence: expect.any(Number), ...unknown }])
    expect(asked[0]!.fence).toBeGreaterThan(producedAt * 1000)
  })

  it('is settled by reconcile: barred allows one attempt, with a fence above the barred ones', async () => {
    await redis.client.flushall()
    let barred = 0
    const reconcile = async ({ fence }: { fence: number }) => {
      barred = fence
      return { status: 'barred' } as const
    }
    const once = layer({ kind: 'plain', reconcile })
    expect(await once.run(message, never)).toMatchObject({ status: 'retry', reason: 'barred' })
    expect(await once.run(message, async ({ fence }) => fence > barred)).toMatchObject({ status: 'done', result: true })
  })

  it('prevents the effect of an attempt that is still preparing', async () => {
    const lose = async () => {
      const [name] = await redis.client.keys('once:*:k')
      const record = await redis.client.hgetall(name!)
      await redis.client.flushall()
      await redis.client.hset(name!, record)
    }
    const outcome = await layer().run(message, { prepare: lose, effect: never })
    expect(outcome).toMatchObject({ status: 'retry', reason: 'lease-lost' })
  })

  it.each([{ kind: 'keyed' } as const, { kind: 'fenced', raise: async () => ({ status: 'clear' }) as const } as const])(
    'leaves nothing in doubt on a $kind sink',
    async (sink) => {
      await redis.client.flushall()
      expect(await layer(sink).run(message, async () => 5)).toEqual({ status: 'done', result: 5, repeated: false })
    },
  )

  it('is noticed in all buckets at once, so that later messages need not wait', async () => {
    await redis.client.flushall()
    expect(await generations()).toBe(0)
    await layer().run(message, never)
    while ((await generations()) < buckets);
  })

  it('is possible if Redis may evict, and the operator gets advice', async () => {
    await redis.client.config('SET', 'maxmemory-policy', 'allkeys-lru')
    expect(await layer().run(message, never)).toMatchObject({
      status: 'retry',
      reason: 'redis-evicts',
      cause: { message: 'Redis may evict records: set maxmemory-policy to noeviction, not allkeys-lru' },
    })
    await redis.client.config('SET', 'maxmemory-policy', 'noeviction')
    expect(await layer().run(message, async () => 5)).toMatchObject({ status: 'done' })
  })

  it('is not assumed at first deployment, and existing buckets are not adopted again', async () => {
    expect(await vouch(0)).toEqual({ status: 'adopted', buckets, kept: buckets })
    await redis.client.flushall()
    expect(await vouch(producedAt + 3_600_000)).toEqual({ status: 'in-the-future' })
    expect(await vouch(producedAt)).toMatchObject({ kept: 0 })
    expect(await layer().run(message, never)).toMatchObject({ reason: 'older-than-the-data' })
    await expect(vouch(-1)).rejects.toThrow(RangeError)
  })
})
