/** Each script and each of its guards, and for each guard a case that passes. */
import { beforeEach, expect, it } from 'vitest'
import { bucketKeysOf } from '../../src/impl/identity.ts'
import { buckets, describeOnRedis } from './real-redis.ts'

const lease = 60_000
const ttl = 602_000
const retention = 600_000
const { record: name } = bucketKeysOf('k', buckets)

describeOnRedis('a record', (redis) => {
  /** Fences are times. Here, they are numbered in the order of their creation. */
  const fences: number[] = []
  const fence = (order: number) => fences[order - 1] ?? Number.MAX_SAFE_INTEGER - 10 + order
  const orderOf = (given: unknown) => {
    if (!fences.includes(Number(given))) expect(Number(given)).toBeGreaterThan(fences.at(-1) ?? 0)
    if (!fences.includes(Number(given))) fences.push(Number(given))
    return fences.indexOf(Number(given)) + 1
  }
  let producedAt: number
  beforeEach(async () => {
    fences.length = 0
    producedAt = await redis.now()
    await redis.script('adopt', 'k', 0, 'first')
  })

  /** The reply with the number of the fence, and without the generation. */
  const acquire = async (owner: string, { leaseMs = lease, print = 'print', sink = 'plain' } = {}) => {
    const reply = await redis.script('acquire', 'k', owner, leaseMs, ttl, print, sink, producedAt, retention, 1000)
    if (reply[0] === 'acquired') return ['acquired', orderOf(reply[1])]
    return reply[0] === 'in-doubt' ? [...reply.slice(0, 2), orderOf(reply[2]), reply[3]] : reply
  }
  /** The reply without the time. */
  const timeless = (reply: unknown[]) => (reply[0] === 'begun' ? reply.toSpliced(1, 1) : reply)
  const begin = async (owner: string, order: number, nonce: string, leaseMs = lease) =>
    timeless(
      await redis.script(
        'begin',
        'k',
        owner,
        fence(order),
        nonce,
        leaseMs,
        ttl,
        'plain',
        producedAt,
        retention,
        'p1',
        '',
      ),
    )
  const abandon = (owner: string, order: number, nonce: string, highest = 0) =>
    redis.script('abandon', 'k', owner, fence(order), nonce, ttl, highest)
  const renew = (owner: string, order: number) => redis.script('renew', 'k', owner, fence(order), lease, ttl)
  const complete = (order: number, result: string, print = 'print') =>
    redis.script('complete', 'k', fence(order), result, print, ttl, producedAt)
  const refuse = (owner: string, order: number, error: string) =>
    redis.script('refuse', 'k', owner, fence(order), error, ttl)
  const reopen = async (order: number, nonce: string, print = 'print') => {
    const { generation } = await redis.record('k')
    return redis.script('reopen', 'k', fence(order), nonce, ttl, generation!, print, retention, '', 0, 0, producedAt)
  }
  const state = async () => (await redis.record('k')).state

  it('goes to one of two attempts, and the other gets the remaining time', async () => {
    expect(await acquire('a')).toEqual(['acquired', 1])
    const [status, leftMs] = await acquire('b')
    expect(status).toBe('held')
    expect(leftMs).toBeGreaterThan(lease / 2)
    expect(leftMs).toBeLessThanOrEqual(lease)
  })

  it('gives the same owner the same fence again', async () => {
    await acquire('a')
    expect(await acquire('a')).toEqual(['acquired', 1])
  })

  it('can be taken over once its lease has ended, with a higher fence', async () => {
    await acquire('a', { leaseMs: 1 })
    await redis.leaseEnded('k')
    expect(await acquire('b')).toEqual(['acquired', 2])
  })

  it('is free after one lease if its deadline is further ahead, because the clock went back', async () => {
    await acquire('a', { leaseMs: 46 * lease })
    expect(await acquire('b')).toEqual(['held', lease])
    expect(Number((await redis.record('k')).deadline)).toBeLessThanOrEqual((await redis.now()) + lease)
  })

  it('keeps a deadline within a lease', async () => {
    await acquire('a')
    const { deadline } = await redis.record('k')
    await acquire('b')
    expect((await redis.record('k')).deadline).toBe(deadline)
  })

  it('is never taken over once it is begun: it is in doubt once its lease has ended', async () => {
    await acquire('a')
    await begin('a', 1, 'n', 1)
    await redis.leaseEnded('k')
    expect(await acquire('b')).toEqual(['in-doubt', 'attempt-vanished', 1, 'n'])
    expect(await state()).toBe('begun')
  })

  it('can be taken over after its begin if the sink is keyed, but not before its lease has ended', async () => {
    await acquire('a')
    await begin('a', 1, 'n')
    expect((await acquire('b', { sink: 'keyed' }))[0]).toBe('held')
    await begin('a', 1, 'n', 1)
    await redis.leaseEnded('k')
    expect(await acquire('b', { sink: 'keyed' })).toEqual(['acquired', 2])
  })

  it.each(['acquired', 'begun', 'free', 'completed', 'refused'])('keeps its first payload in state %s', async (at) => {
    await acquire('a')
    if (at === 'begun' || at === 'refused') await begin('a', 1, 'n')
    if (at === 'refused') await refuse('a', 1, 'no')
    if (at === 'free') await abandon('a', 1, '')
    if (at === 'completed') await complete(1, '5')
    expect(await state()).toBe(at)
    expect(await acquire('b', { print: 'other' })).toEqual(['conflict', 'print', String(producedAt)])
    expect((await acquire('b'))[0]).not.toBe('conflict')
  })

  it('is begun by its holder, and confirmed again only for the same nonce', async () => {
    await acquire('a')
    expect(await begin('a', 1, 'n')).toEqual(['begun', 1])
    expect(await begin('a', 1, 'n')).toEqual(['begun', 1])
    expect(await begin('a', 1, 'another')).toEqual(['lost', 'begun'])
    expect((await redis.record('k')).nonce).toBe('n')
  })

  it('reports its latest begin while it is in doubt, and not an earlier one', async () => {
    await acquire('a')
    const beganAt = await redis.now()
    await begin('a', 1, 'n', 1)
    await redis.leaseEnded('k')
    const { began } = await redis.record('k')
    expect(Number(began!.split(' ')[1])).toBeGreaterThanOrEqual(beganAt)
    const status = () => redis.script('status', 'k', 'plain', lease)
    const about = [began, '1', 'p1', '', String(producedAt)]
    expect(await status()).toEqual(['in-doubt', String(fence(1)), 'n', expect.any(String), 'print', ...about])
    await reopen(1, 'n')
    await acquire('b')
    await begin('b', 2, 'm', 1)
    await redis.leaseEnded('k')
    expect((await status())[6]).toBe('2')
    expect((await redis.record('k')).began).toMatch(`${fence(2)} `)
  })

  it.each(['completed', 'refused'])('keeps nothing about its begin once it is %s', async (at) => {
    await acquire('a')
    await begin('a', 1, 'n')
    await (at === 'completed' ? complete(1, '5') : refuse('a', 1, 'no'))
    const record = await redis.record('k')
    expect(record).toMatchObject({ state: at, produced: String(producedAt) })
    for (const member of ['began', 'begins', 'process', 'meta']) expect(record).not.toHaveProperty(member)
  })

  it('cannot be begun if it is missing', async () => {
    expect(await begin('a', 1, 'n')).toEqual(['lost', 'missing'])
    expect(await redis.record('k')).toEqual({})
  })

  it('cannot be begun by another owner or with another fence', async () => {
    await acquire('a')
    expect(await begin('b', 1, 'n')).toEqual(['lost', 'acquired'])
    expect(await begin('a', 2, 'n')).toEqual(['lost', 'acquired'])
    expect(await state()).toBe('acquired')
  })

  it('cannot be begun after the lease ended, even if it was not taken over', async () => {
    await acquire('a', { leaseMs: 1 })
    await redis.leaseEnded('k')
    expect(await begin('a', 1, 'n')).toEqual(['lost', 'acquired'])
  })

  it('keeps its fence if it is abandoned, and refuses a late begin of that attempt', async () => {
    await acquire('a')
    expect(await abandon('a', 1, 'n')).toEqual(['abandoned'])
    expect(await begin('a', 1, 'n')).toEqual(['lost', 'free'])
    expect(await acquire('b')).toEqual(['acquired', 2])
  })

  it('cannot be begun again with the same fence after its holder has abandoned the begin', async () => {
    await acquire('a')
    await begin('a', 1, 'n')
    expect(await abandon('a', 1, 'n')).toEqual(['abandoned'])
    expect(await begin('a', 1, 'n')).toEqual(['lost', 'free'])
    expect(await begin('a', 1, 'm')).toEqual(['lost', 'free'])
  })

  it('cannot be released with another nonce or by another owner', async () => {
    await acquire('a')
    await begin('a', 1, 'n')
    expect(await abandon('a', 1, 'm')).toEqual(['lost', 'begun'])
    expect(await abandon('b', 1, 'n')).toEqual(['lost', 'begun'])
    expect(await abandon('a', 2, 'n')).toEqual(['lost', 'begun'])
    expect(await state()).toBe('begun')
  })

  it('continues above the fence that the sink has seen', async () => {
    await acquire('a')
    await abandon('a', 1, 'n', fence(1) + 5_000_000_000)
    await acquire('b')
    expect(fence(2)).toBe(fence(1) + 5_000_000_001)
    await abandon('b', 2, 'n', 7)
    await acquire('c')
    expect(fence(3)).toBe(fence(2) + 1)
  })

  it('cannot be released once it is completed', async () => {
    await acquire('a')
    await complete(1, '5')
    expect(await abandon('a', 1, 'n')).toEqual(['lost', 'completed'])
  })

  it.each(['acquired', 'begun'])('has its lease renewed by its holder in state %s', async (at) => {
    await acquire('a')
    if (at === 'begun') await begin('a', 1, 'n')
    await redis.client.hincrby(name, 'deadline', -lease / 2)
    expect(await renew('a', 1)).toEqual(['renewed'])
    expect((await acquire('b'))[1]).toBeGreaterThan(lease / 2)
  })

  it('cannot be renewed by another owner, with another fence, or after its lease has ended', async () => {
    expect(await renew('a', 1)).toEqual(['lost', 'missing'])
    await acquire('a', { leaseMs: 1 })
    await redis.leaseEnded('k')
    expect(await renew('a', 1)).toEqual(['lost', 'acquired'])
    await acquire('b')
    expect(await renew('a', 1)).toEqual(['lost', 'acquired'])
    expect(await renew('b', 1)).toEqual(['lost', 'acquired'])
    expect(await renew('a', 2)).toEqual(['lost', 'acquired'])
    await complete(2, '5')
    expect(await renew('b', 2)).toEqual(['lost', 'completed'])
  })

  it.each(['missing', 'free', 'acquired', 'begun', 'refused'])('accepts a result as a fact in state %s', async (at) => {
    if (at !== 'missing') await acquire('someone else')
    if (at === 'begun' || at === 'refused') await begin('someone else', 1, 'n')
    if (at === 'refused') await refuse('someone else', 1, 'no')
    if (at === 'free') await abandon('someone else', 1, '')
    expect((await state()) ?? 'missing').toBe(at)
    expect(await complete(7, '{"id":1}')).toEqual(['completed', '{"id":1}'])
    expect(await acquire('b')).toEqual(['completed', '{"id":1}'])
    expect(await redis.record('k')).toMatchObject({
      state: 'completed',
      fence: String(fence(7)),
      fingerprint: 'print',
    })
    expect(await redis.record('k')).not.toHaveProperty('error')
  })

  it('keeps its first result, whatever comes later', async () => {
    await acquire('a')
    await begin('a', 1, 'n')
    await complete(1, '1')
    expect(await complete(2, '2')).toEqual(['completed', '1'])
    expect(await refuse('a', 1, 'no')).toEqual(['completed', '1'])
    expect(await begin('a', 1, 'n')).toEqual(['lost', 'completed'])
    expect(await reopen(1, 'n')).toEqual(['lost', 'completed'])
    expect(await redis.record('k')).toMatchObject({ state: 'completed', result: '1', fence: String(fence(1)) })
  })

  it('never lowers its fence', async () => {
    await acquire('a', { leaseMs: 1 })
    await redis.leaseEnded('k')
    await acquire('b')
    await complete(1, '1')
    expect((await redis.record('k')).fence).toBe(String(fence(2)))
  })

  it('can be refused by the attempt that began it, and keeps the first error', async () => {
    await acquire('a')
    await begin('a', 1, 'n')
    expect(await refuse('a', 1, 'no')).toEqual(['refused', 'no'])
    expect(await refuse('a', 1, 'never')).toEqual(['refused', 'no'])
    expect(await acquire('b')).toEqual(['refused', 'no'])
  })

  it('cannot be refused by an attempt that has not begun it', async () => {
    expect(await refuse('a', 1, 'no')).toEqual(['lost', 'missing'])
    await acquire('a')
    expect(await refuse('a', 1, 'no')).toEqual(['lost', 'acquired'])
    await begin('a', 1, 'n')
    expect(await refuse('b', 1, 'no')).toEqual(['lost', 'begun'])
    expect(await refuse('a', 2, 'no')).toEqual(['lost', 'begun'])
    expect(await state()).toBe('begun')
  })

  it('is reopened only for the begin in doubt, and the next holder has a higher fence', async () => {
    await acquire('a')
    await begin('a', 1, 'n')
    expect(await reopen(1, 'm')).toEqual(['lost', 'begun'])
    expect(await reopen(2, 'n')).toEqual(['lost', 'begun'])
    expect(await reopen(1, 'n', 'other')).toEqual(['lost', 'begun'])
    expect(await reopen(1, 'n')).toEqual(['reopened'])
    expect(await acquire('b')).toEqual(['acquired', 2])
    expect(await reopen(1, 'n')).toEqual(['lost', 'acquired'])
    expect(await reopen(2, '')).toEqual(['lost', 'acquired'])
  })

  it.each([
    ['lives for the retention after every transition, and never forever', 20_000, ttl],
    ['is not shortened by a transition, because the clock may have gone back', 2 * ttl, 2 * ttl],
  ])('%s', async (_, before, after) => {
    const steps = [
      () => acquire('a'),
      () => renew('a', 1),
      () => begin('a', 1, 'n'),
      () => begin('a', 1, 'n'),
      () => abandon('a', 1, 'n'),
      () => acquire('b'),
      () => begin('b', 2, 'm'),
      () => reopen(2, 'm'),
      () => acquire('c'),
      () => begin('c', 3, 'o'),
      () => refuse('c', 3, 'no'),
      () => complete(3, '1'),
    ]
    for (const [index, step] of steps.entries()) {
      await step()
      const left = await redis.client.pttl(name)
      expect(left, `after step ${index}`).toBeGreaterThan((index === 0 ? ttl : after) - 10_000)
      await redis.client.pexpire(name, before)
    }
  })
})
