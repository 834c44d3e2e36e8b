/**
 * Losses are noticed, and a missing record proves nothing about old messages. Each way to lose data
 * on a real server, each age of a message, and beside each guard the case that passes.
 */
import { beforeEach, expect, it } from 'vitest'
import { freshToken } from '../../src/impl/identity.ts'
import { describeOnRedis } from './real-redis.ts'

const lease = 60_000
const ttl = 602_000
const retention = 600_000
const skew = 1000

type Sink = 'plain' | 'keyed' | 'fenced'

describeOnRedis('a generation', (redis) => {
  let now: number
  beforeEach(async () => {
    now = await redis.now()
  })
  const adopt = (since: number) => redis.script('adopt', 'k', since, freshToken())
  const acquire = (owner: string, { sink = 'plain' as Sink, producedAt = now, skewMs = skew } = {}) =>
    redis.script('acquire', 'k', owner, lease, ttl, 'print', sink, producedAt, retention, skewMs)
  const begin = (owner: string, fence: unknown, nonce: string, { sink = 'plain', producedAt = now } = {}) =>
    redis.script('begin', 'k', owner, Number(fence), nonce, lease, ttl, sink, producedAt, retention, 'p', '')
  const abandon = (owner: string, fence: unknown) => redis.script('abandon', 'k', owner, Number(fence), 'n', ttl, 0)
  const complete = (fence: unknown) => redis.script('complete', 'k', Number(fence), '5', 'print', ttl, now)
  /** Settles the doubt that acquire returned. */
  const reopen = ([, , fence, nonce, generation, , reportedUs]: unknown[]) => {
    const about = [ttl, String(generation), 'print', retention, '', 0, Number(reportedUs), now]
    return redis.script('reopen', 'k', Number(fence), String(nonce), ...about)
  }
  const inDoubt = (reason: string) => expect.arrayContaining(['in-doubt', reason])
  const acquired = expect.arrayContaining(['acquired'])

  /** Actual or possible losses of data. After each of them, a new generation must begin. */
  const losses = {
    'a restart without data': () => redis.restart(),
    'FLUSHALL by a third party': () => redis.client.flushall(),
    'deletion of the generation': async () => {
      for (const name of await redis.client.keys('once:*/1024')) await redis.client.del(name)
    },
    'an eviction': async () => {
      const { evicted } = await redis.generation('k')
      await redis.client.config('SET', 'maxmemory-policy', 'allkeys-random')
      for (let filler = 0; filler < 50; filler++) await redis.client.set(`filler:${filler}`, 'x'.repeat(10_000))
      await redis.client.config('SET', 'maxmemory', String(3_000_000))
      for (let filler = 0; (await evictedKeys()) === Number(evicted); filler++)
        await redis.client.set(`more:${filler}`, 'x'.repeat(100_000))
      await redis.client.config('SET', 'maxmemory', '0', 'maxmemory-policy', 'noeviction')
    },
  }
  const evictedKeys = async () => Number(/evicted_keys:(\d+)/.exec(await redis.client.info('stats'))![1])
  const eachLoss = Object.keys(losses) as (keyof typeof losses)[]

  it('begins with the first acquire, which proves nothing about earlier messages', async () => {
    expect(await acquire('a')).toEqual([
      'in-doubt',
      'older-than-the-data',
      expect.any(String),
      '',
      expect.any(String),
      1,
      expect.any(Number),
    ])
    expect(Number((await redis.generation('k')).born)).toBeGreaterThanOrEqual(now)
    expect(await redis.record('k')).toEqual({})
  })

  it('continues while nothing is lost, and reports its start only once', async () => {
    await acquire('a')
    const before = await redis.generation('k')
    expect((await acquire('b'))[5]).toBe(0)
    expect(await redis.generation('k')).toEqual(before)
  })

  it('allows messages that were produced after its start', async () => {
    await acquire('a')
    const born = Number((await redis.generation('k')).born)
    while ((await redis.now()) === born);
    expect(await acquire('b', { producedAt: born, skewMs: 0 })).toEqual(inDoubt('older-than-the-data'))
    expect(await acquire('b', { producedAt: born + 1, skewMs: 0 })).toEqual(acquired)
  })

  it.each(eachLoss)('ends with %s, and an old message without a record is in doubt', async (loss) => {
    await adopt(0)
    expect(await acquire('a')).toEqual(acquired)
    const before = await redis.generation('k')
    await losses[loss]()
    await redis.client.del('once:{b0}:unrelated', ...(await redis.client.keys('once:*:k')))
    expect((await acquire('b')).slice(0, 2)).toEqual(['in-doubt', 'older-than-the-data'])
    expect(await redis.generation('k')).not.toEqual(before)
  })

  it.each(eachLoss)('prevents the begin if it ended between acquire and begin: %s', async (loss) => {
    await adopt(0)
    const [, fence] = await acquire('a')
    const record = await redis.record('k')
    await losses[loss]()
    await redis.client.hset((await recordName())!, record)
    expect(await begin('a', fence, 'n')).toEqual(['lost', 'generation'])
    await acquire('b')
    expect(await begin('a', fence, 'n')).toEqual(['lost', 'generation'])
  })

  it('allows the begin if it is unchanged', async () => {
    await adopt(0)
    const [, fence] = await acquire('a')
    expect(await begin('a', fence, 'n')).toEqual(['begun', expect.any(String), 1])
  })

  const recordName = async () => {
    await redis.script('complete', 'k', 1, '0', 'print', ttl, now)
    const [name] = await redis.client.keys('once:*:k')
    await redis.client.del(name!)
    return name
  }
  /** The same record, in a data set that has lost a part. */
  const carriedOver = async (change: (fence: unknown) => Promise<unknown>) => {
    await adopt(0)
    const [, fence] = await acquire('a')
    await change(fence)
    await losses['deletion of the generation']()
    return fence
  }

  it.each([
    ['acquired', async () => {}],
    ['free', (fence: unknown) => abandon('a', fence)],
  ] as const)(
    'distrusts a record in state %s of another generation, which may be an old one that returned',
    async (at, to) => {
      await carriedOver(to)
      expect((await redis.record('k')).state).toBe(at)
      expect(await acquire('b')).toEqual(inDoubt('older-than-the-data'))
    },
  )

  it('lets a young message take such a record with a higher fence, even during its lease', async () => {
    const before = await carriedOver(async () => {})
    await adopt(now - 10_000)
    const [status, fence] = await acquire('b')
    expect(status).toBe('acquired')
    expect(Number(fence)).toBeGreaterThan(Number(before))
    expect(await begin('a', before, 'n')).toEqual(['lost', 'acquired'])
  })

  it('trusts a begun record of another generation, and asks about it', async () => {
    const fence = await carriedOver((given) => begin('a', given, 'n'))
    expect((await acquire('b'))[0]).toBe('held')
    await redis.client.hset((await redis.client.keys('once:*:k'))[0]!, 'deadline', 0)
    const reported = await acquire('b')
    expect(reported.slice(0, 4)).toEqual(['in-doubt', 'attempt-vanished', fence, 'n'])
    expect(await reopen(reported)).toEqual(['reopened'])
    expect(await acquire('b')).toEqual(acquired)
  })

  it('trusts a completed record of another generation', async () => {
    await carriedOver((fence) => complete(fence))
    expect(await acquire('b')).toEqual(['completed', '5'])
  })

  it('gives fences above all fences from before the loss', async () => {
    await adopt(0)
    const [, before] = await acquire('a')
    await redis.client.flushall()
    const [status, after] = await acquire('b', { sink: 'fenced' })
    expect(status).toBe('acquired')
    expect(Number(after)).toBeGreaterThan(Number(before))
  })

  it.each(['volatile-lru', 'allkeys-random'])(
    'grants nothing while the policy is %s, and grants again afterwards',
    async (policy) => {
      await adopt(0)
      await redis.client.config('SET', 'maxmemory-policy', policy)
      for (const sink of ['plain', 'keyed', 'fenced'] as const)
        expect(await acquire('a', { sink })).toEqual(['evicts', policy])
      expect(await redis.record('k')).toEqual({})
      await redis.client.config('SET', 'maxmemory-policy', 'noeviction')
      expect(await acquire('a')).toEqual(acquired)
    },
  )

  it('returns recorded results under any policy', async () => {
    await complete(1)
    await redis.client.config('SET', 'maxmemory-policy', 'allkeys-lru')
    expect(await acquire('a')).toEqual(['completed', '5'])
  })

  it('leaves nothing in doubt if the sink remembers', async () => {
    expect(await acquire('a', { sink: 'keyed' })).toEqual(acquired)
    await redis.client.flushall()
    expect(await acquire('a', { sink: 'fenced' })).toEqual(acquired)
  })

  it.each([
    ['plain', 'older-than-retention', 'in-doubt'],
    ['keyed', 'older-than-retention', 'in-doubt'],
    ['fenced', null, 'acquired'],
  ] as const)('a message older than the retention, for a sink that is %s: %s', async (sink, reason, status) => {
    await adopt(0)
    const reply = await acquire('a', { sink, producedAt: now - retention })
    expect(reply[0]).toBe(status)
    if (reason !== null) expect(reply[1]).toBe(reason)
    expect(await acquire('a', { sink, producedAt: now - retention + 30_000 })).toEqual(acquired)
  })

  it('a message that exceeds the retention meanwhile is not begun, unless the sink never forgets', async () => {
    await adopt(0)
    const [, fence] = await acquire('a')
    const producedAt = now - retention
    expect(await begin('a', fence, 'n', { producedAt })).toEqual(['lost', 'retention'])
    expect(await begin('a', fence, 'n', { producedAt, sink: 'keyed' })).toEqual(['lost', 'retention'])
    expect(await begin('a', fence, 'n', { producedAt, sink: 'fenced' })).toEqual(['begun', expect.any(String), 1])
  })

  it.each(['plain', 'keyed'] as const)('a message from the future is in doubt for a %s sink', async (sink) => {
    await adopt(0)
    expect(await acquire('a', { sink, producedAt: now + 60_000 })).toEqual(inDoubt('from-the-future'))
    expect(await acquire('a', { sink, producedAt: now + skew })).toEqual(acquired)
  })

  it('a settled doubt allows an attempt and its begin, however old the message is', async () => {
    const producedAt = now - 2 * retention
    const reported = await acquire('a', { producedAt })
    expect(await reopen(reported)).toEqual(['reopened'])
    const [status, fence] = await acquire('a', { producedAt })
    expect(status).toBe('acquired')
    expect(Number(fence)).toBeGreaterThan(Number(reported[2]))
    expect(await begin('a', fence, 'n', { producedAt })).toEqual(['begun', expect.any(String), 1])
  })

  it('a doubt that was settled before another loss allows nothing', async () => {
    const reported = await acquire('a')
    await redis.client.flushall()
    expect(await reopen(reported)).toEqual(['lost', 'generation'])
    await acquire('b')
    expect(await reopen(reported)).toEqual(['lost', 'generation'])
    expect(await redis.record('k')).toEqual({})
  })

  it('a doubt from longer ago than the retention allows nothing, however high its fence is', async () => {
    const reported = await acquire('a')
    const longAgo = [...reported.slice(0, 6), Number(reported[6]) - retention * 1000]
    expect(await reopen(longAgo)).toEqual(['lost', 'retention'])
    expect(await reopen(longAgo.with(2, 9_000_000_000_000_000))).toEqual(['lost', 'retention'])
    expect(await reopen(reported.with(2, 1))).toEqual(['reopened'])
  })

  it('a doubt about a missing record ends once an attempt holds, began or ended the key', async () => {
    const reported = await acquire('a')
    await reopen(reported)
    const [, fence] = await acquire('b')
    expect(await reopen(reported)).toEqual(['lost', 'acquired'])
    await begin('b', fence, 'n')
    expect(await reopen(reported)).toEqual(['lost', 'begun'])
    await complete(fence)
    expect(await reopen(reported)).toEqual(['lost', 'completed'])
  })

  it('is noticed in an unused bucket if it was lost or missing, and otherwise continues', async () => {
    expect(await redis.script('notice', 'k', freshToken())).toEqual(['started'])
    const { born } = await redis.generation('k')
    expect(await redis.script('notice', 'k', freshToken())).toEqual(['known'])
    expect((await redis.generation('k')).born).toBe(born)
    await redis.restart()
    expect(await redis.script('notice', 'k', freshToken())).toEqual(['started'])
  })

  it('can be adopted if there is none, which allows later messages', async () => {
    expect(await adopt(now - 10_000)).toEqual(['adopted'])
    expect(await acquire('a', { producedAt: now - 10_000 + skew })).toEqual(inDoubt('older-than-the-data'))
    expect(await acquire('a', { producedAt: now - 10_000 + skew + 1 })).toEqual(acquired)
  })

  it('cannot be adopted if there is one, or from the future', async () => {
    expect(await adopt(now + 60_000)).toEqual(['future'])
    await acquire('a')
    const { born } = await redis.generation('k')
    expect(await adopt(0)).toEqual(['kept', born])
    expect(await acquire('a')).toEqual(inDoubt('older-than-the-data'))
  })
})
