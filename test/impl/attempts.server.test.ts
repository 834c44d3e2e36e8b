/** Which attempts count, and what happens when they are used up, on a real server. */
import { afterEach, beforeEach, expect, it } from 'vitest'
import { attempt } from '../../src/impl/attempt.ts'
import { bucketKeysOf } from '../../src/impl/identity.ts'
import type { Layer } from '../../src/impl/layer.ts'
import { adopt, type Once, type OnceOptions } from '../../src/impl/once.ts'
import { settingsOf } from '../../src/impl/options.ts'
import type { Hold } from '../../src/impl/records.ts'
import { buckets, closeLayers, freshMessage, layerAt, never } from './layers.ts'
import { buckets as defaultBuckets, describeOnRedis } from './real-redis.ts'

const fails = async (): Promise<never> => {
  throw new Error('no database')
}
const failing = { prepare: fails, effect: never }

it('one is uncounted in the same step that releases its key, because another could be counted instead', async () => {
  const steps: unknown[] = []
  const records = {
    count: async () => ({ status: 'counted', attempts: 1 }),
    begin: async () => ({ status: 'unreachable', error: new Error('no answer') }),
    abandon: async (_hold: Hold, _nonce: string, how: object) => void steps.push(how),
  }
  const settings = settingsOf({ redis: {}, replicas: 0, leaseMs: 6000, retentionMs: 600_000, maxAttempts: 2 })
  const hold = { ...freshMessage(), fence: 1, sinceMs: performance.now() } as unknown as Hold
  const work = { prepare: async () => undefined, effect: never }
  const outcome = await attempt({ records, settings } as unknown as Layer, hold, work)
  expect(outcome).toMatchObject({ status: 'retry', reason: 'redis-unreachable' })
  expect(steps).toEqual([{ counts: false }])
})

describeOnRedis('attempts', (redis) => {
  beforeEach(async () => void (await adopt({ redis: redis.client, buckets, since: 0 })))
  afterEach(closeLayers)
  const layer = (options: Partial<OnceOptions> = {}) => layerAt(redis.client, { maxAttempts: 2, ...options })
  const fieldsOf = (key: string) => redis.client.hgetall(bucketKeysOf(key, buckets).record)

  /** A process dies while it prepares. It sends nothing more, and its lease ends. */
  const dies = async (message: ReturnType<typeof freshMessage>, options: Partial<OnceOptions> = {}) => {
    await new Promise<void>((resolve) => {
      const doomed: Once = layer({ leaseMs: 300, ...options })
      const prepare = () => {
        doomed.close()
        resolve()
        return new Promise<never>(() => {})
      }
      void doomed.run(message, { prepare, effect: never })
    })
    const deadline = Number((await fieldsOf(message.key)).deadline)
    while ((await redis.now()) < deadline);
  }

  it('are counted if they fail, and nothing is performed after the last one', async () => {
    const [once, message] = [layer(), freshMessage()]
    for (let attempt = 0; attempt < 2; attempt++)
      expect(await once.run(message, failing)).toMatchObject({ status: 'retry', reason: 'prepare-failed' })
    expect(await once.run(message, { prepare: never, effect: never })).toEqual({ status: 'failed', attempts: 2 })
    expect(await once.status(message.key)).toEqual({ status: 'failed', attempts: 2 })
    expect(await redis.client.pttl(bucketKeysOf(message.key, buckets).record)).toBeGreaterThan(0)
  })

  it('are counted if they kill their process', async () => {
    const message = freshMessage()
    await dies(message)
    await dies(message)
    expect(await layer().run(message, never)).toEqual({ status: 'failed', attempts: 2 })
  })

  it('are counted if a keyed sink did not answer', async () => {
    const [once, message] = [layer({ sink: { kind: 'keyed' }, leaseMs: 300, maxAttempts: 1 }), freshMessage()]
    expect(await once.run(message, fails)).toMatchObject({ status: 'retry', reason: 'effect-unanswered' })
    const deadline = Number((await fieldsOf(message.key)).deadline)
    while ((await redis.now()) < deadline);
    expect(await once.run(message, never)).toEqual({ status: 'failed', attempts: 1 })
  })

  it('are not counted if they ended for lack of a replica', async () => {
    const [once, message] = [layer({ replicas: 1, leaseMs: 300, maxAttempts: 1 }), freshMessage()]
    for (let attempt = 0; attempt < 3; attempt++)
      expect(await once.run(message, never)).toMatchObject({ status: 'retry', reason: 'not-replicated' })
    expect((await fieldsOf(message.key)).attempts).toBeUndefined()
  })

  it('do not keep the last one from success, or later copies from its result', async () => {
    const [once, message] = [layer(), freshMessage()]
    await once.run(message, failing)
    expect(await once.run(message, async () => 1)).toMatchObject({ status: 'done', repeated: false })
    expect(await once.run(message, never)).toEqual({ status: 'done', result: 1, repeated: true })
  })

  it('are allowed again by an operator', async () => {
    const [once, message] = [layer({ maxAttempts: 1 }), freshMessage()]
    await once.run(message, failing)
    expect(await once.run(message, never)).toMatchObject({ status: 'failed' })
    expect(await once.resetAttempts(message.key)).toEqual({ status: 'reset' })
    expect(await once.status(message.key)).toEqual({ status: 'open' })
    expect(await once.run(message, async () => 1)).toMatchObject({ status: 'done' })
    const unseen = freshMessage()
    await once.resetAttempts(unseen.key)
    expect(await fieldsOf(unseen.key)).toEqual({})
    await expect(once.resetAttempts('')).rejects.toThrow(TypeError)
  })

  it('count no more once an operator has ruled the effect out, but still count after reconcile', async () => {
    const options = { leaseMs: 300, maxAttempts: 1 }
    const byHand = layer({ ...options, sink: { kind: 'plain', settledByHand: true } })
    const message = freshMessage()
    await byHand.run(message, fails)
    let found = await byHand.status(message.key)
    while (found.status !== 'in-doubt') found = await byHand.status(message.key)
    expect(await byHand.settle(found.doubt, { status: 'barred' })).toEqual({ status: 'open' })
    expect(await byHand.status(message.key)).toEqual({ status: 'open' })
    expect(await byHand.run(message, async () => 1)).toMatchObject({ status: 'done' })

    const asking = layer({ ...options, sink: { kind: 'plain', reconcile: async () => ({ status: 'barred' }) } })
    const again = freshMessage()
    expect(await asking.run(again, fails)).toMatchObject({ status: 'retry', reason: 'barred' })
    expect(await asking.run(again, never)).toEqual({ status: 'failed', attempts: 1 })
  })

  it('are not in the record if they are not limited', async () => {
    const [once, message] = [layerAt(redis.client), freshMessage()]
    await once.run(message, failing)
    expect(await fieldsOf(message.key)).not.toHaveProperty('attempts')
  })

  it.each([0, 1.5, Number.POSITIVE_INFINITY])('must be a positive integer, not %s', (maxAttempts) => {
    expect(() => layer({ maxAttempts })).toThrow(RangeError)
  })

  it('are counted once each, however often the script is called', async () => {
    const owned = { state: 'acquired', owner: 'me', fence: '7' }
    await redis.client.hset(bucketKeysOf('twice', defaultBuckets).record, owned)
    const count = (owner: string, fence: number) => redis.script('count', 'twice', owner, fence, 2)
    expect(await count('me', 7)).toEqual(['counted', 1])
    expect(await count('me', 7)).toEqual(['counted', 1])
    expect(await count('another', 7)).toEqual(['lost', 'acquired'])
    expect(await count('me', 8)).toEqual(['lost', 'acquired'])
    expect(await redis.record('twice')).toEqual({ ...owned, attempts: '1', counted: '7' })
  })

  it('are uncounted once, with or without the key, and only the last counted one', async () => {
    const record = { state: 'acquired', owner: 'another', fence: '9', attempts: '2', counted: '7' }
    await redis.client.hset(bucketKeysOf('back', defaultBuckets).record, record)
    const abandon = (owner: string, fence: number, ...uncounted: string[]) =>
      redis.script('abandon', 'back', owner, fence, 'n', 600_000, 0, ...uncounted)
    expect(await abandon('me', 8, 'uncounted')).toEqual(['lost', 'acquired'])
    expect(await abandon('me', 7)).toEqual(['lost', 'acquired'])
    expect(await redis.record('back')).toEqual(record)
    const { counted: _, ...taken } = { ...record, attempts: '1' }
    for (const _again of [1, 2]) {
      expect(await abandon('me', 7, 'uncounted')).toEqual(['lost', 'acquired'])
      expect(await redis.record('back')).toEqual(taken)
    }
    await redis.script('count', 'back', 'another', 9, 2)
    expect(await abandon('another', 9, 'uncounted')).toEqual(['abandoned'])
    expect(await redis.record('back')).toMatchObject({ state: 'free', attempts: '1' })
  })

  it('are zero again after a reset', async () => {
    const owned = { state: 'acquired', owner: 'me', fence: '7' }
    await redis.client.hset(bucketKeysOf('reset', defaultBuckets).record, { ...owned, attempts: '2', counted: '7' })
    expect(await redis.script('reset', 'reset')).toEqual(['reset'])
    expect(await redis.script('reset', 'reset')).toEqual(['kept'])
    expect(await redis.record('reset')).toEqual(owned)
  })
})
