/** What a caller of the layer observes, on a real server. */
import { afterEach, beforeEach, expect, it } from 'vitest'
import { bucketKeysOf, fingerprintOf, formerFingerprintOf } from '../../src/impl/identity.ts'
import {
  adopt,
  createOnce,
  type KeyInDoubt,
  type Meta,
  type Once,
  type OnceMessage,
  type OnceOptions,
} from '../../src/impl/once.ts'
import { buckets, describeOnRedis } from './real-redis.ts'

class Refusal extends Error {}

const unreadable = () => {
  throw new Error('no answer')
}

const message = { key: 'k', payload: { amountCents: 100 }, producedAt: Date.now() }
const payloadJson = '{"amountCents":100}'
const print = fingerprintOf(message.key, payloadJson, message.producedAt)
const formerPrint = formerFingerprintOf(message.key, payloadJson, message.producedAt)
const retentionMs = 600_000
const ttl = 602_000
const { record: name } = bucketKeysOf('k', buckets)

describeOnRedis('once.run', (redis) => {
  const open: Once[] = []
  beforeEach(async () => void (await redis.script('adopt', 'k', 0, 'first')))
  afterEach(() => {
    for (const once of open.splice(0)) once.close()
  })
  const layer = (options: Partial<OnceOptions> = {}): Once => {
    const isRefusal = (error: unknown) => error instanceof Refusal
    const once = createOnce({ redis: redis.client, replicas: 0, leaseMs: 30_000, retentionMs, isRefusal, ...options })
    open.push(once)
    return once
  }
  /** A begun record whose holder vanished, and whose lease has ended. Returns its fence. */
  const acquired = async (leaseMs: number, fingerprint = print) => {
    const about = [fingerprint, 'plain', message.producedAt, retentionMs, 1000]
    return Number((await redis.script('acquire', 'k', 'ghost', leaseMs, ttl, ...about))[1])
  }
  const vanished = async (fingerprint = print) => {
    const fence = await acquired(60_000, fingerprint)
    await redis.script(
      'begin',
      'k',
      'ghost',
      fence,
      'nonce',
      1,
      ttl,
      'plain',
      message.producedAt,
      retentionMs,
      'ghost',
      '',
    )
    await redis.leaseEnded('k')
    return fence
  }
  const fails = (error: Error) => async () => {
    throw error
  }
  const never = async (): Promise<never> => expect.fail('an effect that must not be performed')

  it('performs the effect of competing copies once, and returns its result to every later one', async () => {
    let effects = 0
    const effect = async () => ({ id: ++effects, at: undefined })
    const consumers = [layer(), layer(), layer()]
    const outcomes = await Promise.all(consumers.map((once) => once.run(message, effect)))
    expect(outcomes.filter(({ status }) => status === 'done')).toHaveLength(1)
    expect(outcomes.filter((outcome) => outcome.status === 'retry' && outcome.reason === 'held')).toHaveLength(2)
    expect(await layer().run(message, never)).toEqual({ status: 'done', result: { id: 1 }, repeated: true })
    expect(effects).toBe(1)
  })

  it('performs nothing before the point of no return is recorded', async () => {
    const states: (string | undefined)[] = []
    const look = async () => void states.push((await redis.record('k')).state)
    await layer().run(message, { prepare: look, effect: look })
    expect(states).toEqual(['acquired', 'begun'])
  })

  it('passes the prepared value to the effect', async () => {
    const outcome = await layer().run(message, { prepare: async () => 20, effect: async (_, prepared) => prepared + 1 })
    expect(outcome).toEqual({ status: 'done', result: 21, repeated: false })
  })

  it('releases the key if preparing fails, so that the next run need not wait', async () => {
    const once = layer()
    const outcome = await once.run(message, { prepare: fails(new Error('no database')), effect: never })
    expect(outcome).toMatchObject({ status: 'retry', reason: 'prepare-failed', cause: { message: 'no database' } })
    const { fence: before } = await redis.record('k')
    const again = await once.run(message, async ({ fence }) => fence > Number(before))
    expect(again).toMatchObject({ status: 'done', result: true })
  })

  it('refuses an effect permanently if the sink refused it, for later copies, too', async () => {
    const once = layer()
    expect(await once.run(message, fails(new Refusal('card expired')))).toEqual({
      status: 'refused',
      error: 'card expired',
      repeated: false,
    })
    expect(await once.run(message, never)).toEqual({ status: 'refused', error: 'card expired', repeated: true })
  })

  it('is in doubt after any other error of the effect, and never repeats it', async () => {
    const once = layer()
    const outcome = await once.run(message, fails(new Error('502')))
    expect(outcome).toMatchObject({ status: 'in-doubt', reason: 'effect-unanswered', cause: { message: '502' } })
    expect(await once.run(message, never)).toMatchObject({ status: 'retry', reason: 'held' })
  })

  it('is in doubt if a holder vanished after the point of no return', async () => {
    await vanished()
    expect(await layer().run(message, never)).toEqual({
      status: 'in-doubt',
      reason: 'attempt-vanished',
      doubt: expect.objectContaining({ key: 'k', process: 'ghost' }),
    })
  })

  it('takes over from a holder that vanished before the point of no return', async () => {
    const before = await acquired(1)
    await redis.leaseEnded('k')
    const outcome = await layer().run(message, async ({ fence }) => fence > before)
    expect(outcome).toMatchObject({ status: 'done', result: true })
  })

  it('neither performs nor answers another message under the same key, and says what differs', async () => {
    const once = layer()
    await once.run(message, async () => 1)
    const { producedAt } = message
    const recorded = { producedAt, digest: print }
    const other = { ...message, payload: { amountCents: 101 } }
    const conflict = await once.run(other, never)
    const given = { producedAt, digest: fingerprintOf('k', '{"amountCents":101}', producedAt) }
    expect(conflict).toEqual({ status: 'conflict', reason: 'payload', recorded, given })
    const again = { ...message, producedAt: producedAt + 5 }
    expect(await once.run(again, never)).toEqual({
      status: 'conflict',
      reason: 'producedAt',
      recorded,
      given: { producedAt: producedAt + 5, digest: print },
      hint: 'take producedAt from the message: Date.now() in a consumer differs with each delivery',
    })
    const both = await once.run({ ...other, producedAt: producedAt + 5 }, never)
    expect(both).toMatchObject({ reason: 'payload-and-producedAt', recorded, given: { digest: given.digest } })
    expect(await once.run({ ...message, payload: { amountCents: 100 } }, never)).toMatchObject({ status: 'done' })
  })

  it('says that it does not know what differs from the record of an older version', async () => {
    await redis.script('complete', 'k', 1, '7', print, ttl, '')
    const conflict = await layer().run({ ...message, payload: 1 }, never)
    expect(conflict).toMatchObject({ reason: 'unknown', recorded: { producedAt: null, digest: print } })
  })

  it('reports when, where, and for which purpose an effect in doubt was begun', async () => {
    const once = layer({ process: 'worker-1', sink: { kind: 'plain', settledByHand: true } })
    const about = { ...message, meta: { order: 17 } }
    const before = await redis.now()
    const work = {
      prepare: async () => 'req_1',
      meta: (request: string) => ({ request }),
      effect: fails(new Error('502')),
    }
    const begun = { process: 'worker-1', meta: { order: 17, request: 'req_1' }, producedAt: message.producedAt }
    const first = await once.run(about, work)
    expect(first).toMatchObject({ status: 'in-doubt', doubt: { ...begun, attempt: 1, begunAt: expect.any(Number) } })
    const { doubt } = first as { doubt: KeyInDoubt }
    expect(doubt.begunAt).toBeGreaterThanOrEqual(before)
    expect(await once.settle(doubt, { status: 'barred' })).toEqual({ status: 'open' })
    expect(await once.run(about, work)).toMatchObject({ doubt: { ...begun, attempt: 2 } })
    await redis.client.hset(name, 'deadline', 1)
    const again = await once.status('k')
    expect(again).toMatchObject({ status: 'in-doubt', doubt: { ...begun, attempt: 2 } })
    // A begin of an older version leaves these fields of the begin before it.
    await redis.client.hset(name, 'fence', 5)
    const unknown = { begunAt: null, process: null, attempt: null, meta: null }
    expect(await once.status('k')).toMatchObject({ status: 'in-doubt', doubt: unknown })
  })

  it('settles a doubt without a record by the outcome that reported it', async () => {
    await redis.client.flushall()
    const once = layer({ sink: { kind: 'plain', settledByHand: true } })
    const lost = await once.run(message, never)
    expect(lost).toMatchObject({ status: 'in-doubt', reason: 'older-than-the-data' })
    const { doubt } = lost as { doubt: KeyInDoubt }
    expect(await once.settle(doubt, { status: 'barred' })).toEqual({ status: 'open' })
    expect(await once.run(message, async () => 1)).toMatchObject({ status: 'done', result: 1 })
    expect(await once.settle(doubt, { status: 'barred' })).toEqual({ status: 'stale' })
    const future = { ...message, key: 'future', producedAt: (await redis.now()) + 60_000 }
    expect(await once.run(future, never)).toEqual({ status: 'in-doubt', reason: 'from-the-future' })
  })

  it.each([
    [{ order: { id: 17 } }, 'meta.order is nested: give strings, numbers, booleans or null'],
    [{ order: Number.NaN }, 'meta.order is NaN'],
    [{ order: 'x'.repeat(1000) }, 'meta has 1012 bytes of JSON, and at most 1000 are kept: shorten it'],
    ['order 17', 'meta is not an object: give one, such as { order: 17 }'],
  ])('rejects meta that cannot be kept, before anything is done: %j', async (meta, why) => {
    const given = { ...message, meta } as OnceMessage
    await expect(layer().run(given, never)).rejects.toThrow(why)
    expect(await redis.record('k')).toEqual({})
    const work = { prepare: async () => 1, meta: () => meta as Meta, effect: never }
    const prepared = await layer().run(message, work)
    expect(prepared).toMatchObject({ reason: 'prepare-failed', cause: { message: expect.stringContaining(why) } })
  })

  it('does not perform if the key was lost while preparing', async () => {
    const steal = async () => {
      await redis.client.hset(name, 'owner', 'another', 'fence', 2)
    }
    expect(await layer().run(message, { prepare: steal, effect: never })).toMatchObject({
      status: 'retry',
      reason: 'lease-lost',
    })
    expect(await redis.record('k')).toMatchObject({ state: 'acquired', owner: 'another' })
  })

  it('answers done for an effect whose record was lost meanwhile, and records it', async () => {
    const outcome = await layer().run(message, async () => {
      await redis.client.flushall()
      return 5
    })
    expect(outcome).toEqual({ status: 'done', result: 5, repeated: false })
    expect(await redis.record('k')).toMatchObject({ state: 'completed', result: '5' })
  })

  it('does not let a refusal end a key that another attempt holds by now', async () => {
    const outcome = await layer().run(message, async () => {
      await redis.client.hset(name, 'owner', 'another', 'fence', 2)
      throw new Refusal('stale')
    })
    expect(outcome).toMatchObject({ status: 'retry', reason: 'lease-lost' })
    expect((await redis.record('k')).state).toBe('begun')
  })

  it.each([
    ['applied', { status: 'applied', result: 7 }, { status: 'done', result: 7, repeated: true }, 'completed'],
    ['barred', { status: 'barred' }, { status: 'retry', reason: 'barred', retryAfterMs: 0 }, 'free'],
    [
      'unknown',
      { status: 'unknown' },
      { status: 'in-doubt', reason: 'reconcile-unknown', doubt: expect.any(Object) },
      'begun',
    ],
  ] as const)('settles a doubt by reconcile: %s', async (_, answer, outcome, state) => {
    const fence = await vanished()
    const asked: unknown[] = []
    const reconcile = async (doubt: unknown) => {
      asked.push(doubt)
      return answer
    }
    expect(await layer({ sink: { kind: 'plain', reconcile } }).run(message, never)).toEqual(outcome)
    const by = { begunAt: expect.any(Number), process: 'ghost', attempt: 1, meta: null }
    expect(asked).toEqual([{ ...message, reason: 'attempt-vanished', fence, ...by }])
    expect((await redis.record('k')).state).toBe(state)
  })

  it('calls reconcile about its own unanswered effect at once', async () => {
    const sink = { kind: 'plain', reconcile: async () => ({ status: 'applied', result: 7 }) as const } as const
    const outcome = await layer({ sink }).run(message, fails(new Error('timeout')))
    expect(outcome).toEqual({ status: 'done', result: 7, repeated: false })
  })

  it.each([{ status: 'Barred' }, { status: undefined }, null, undefined])(
    'leaves a doubt alone, and lists valid answers, if reconcile answers %j',
    async (answer) => {
      const once = layer({ sink: { kind: 'plain', reconcile: async () => answer as never } })
      const outcome = await once.run(message, fails(new Error('502')))
      expect(outcome).toMatchObject({ status: 'in-doubt', reason: 'reconcile-failed' })
      expect(outcome).toHaveProperty('cause.message', expect.stringMatching(/^reconcile answers .*'barred'/))
      expect((await redis.record('k')).state).toBe('begun')
    },
  )

  it('performs nothing if a fenced sink gives an invalid answer', async () => {
    const once = layer({ sink: { kind: 'fenced', raise: async () => ({ status: 'ok' }) as never } })
    const outcome = await once.run(message, never)
    expect(outcome).toMatchObject({ status: 'retry', reason: 'raise-failed', cause: expect.any(TypeError) })
  })

  it('gives the next attempt a fence above the barring one of reconcile', async () => {
    await vanished()
    const highest = 9_000_000_000_000_000
    const sink = { kind: 'plain', reconcile: async () => ({ status: 'barred', highest }) as const } as const
    expect(await layer({ sink }).run(message, never)).toMatchObject({ status: 'retry', reason: 'barred' })
    const effect = async ({ fence }: { fence: number }) => fence - highest
    expect(await layer({ sink }).run(message, effect)).toMatchObject({ status: 'done', result: 1 })
  })

  it.each([-1, 0.5, 2 ** 53, '7', null])('leaves a doubt alone if reconcile bars by the fence %j', async (highest) => {
    await vanished()
    const reconcile = async () => ({ status: 'barred', highest }) as never
    const outcome = await layer({ sink: { kind: 'plain', reconcile } }).run(message, never)
    expect(outcome).toMatchObject({ status: 'in-doubt', reason: 'reconcile-failed' })
    expect(outcome).toHaveProperty('cause.message', expect.stringContaining(`highest: ${highest} is not a fence`))
  })

  it('grants fences up to the last safe integer, and then nothing', async () => {
    const last = Number.MAX_SAFE_INTEGER
    const raised: number[] = []
    const raise = async (_: string, fence: number) => {
      raised.push(fence)
      return { status: 'refused', highest: Math.max(fence, last - 2) } as const
    }
    const once = layer({ sink: { kind: 'fenced', raise } })
    const outcomes = []
    for (const _ of [1, 2, 3, 4]) outcomes.push(await once.run(message, never))
    const given = ['superseded', 'superseded', 'raise-failed', 'fences-exhausted'].map((reason) => ({ reason }))
    expect(outcomes).toMatchObject(given)
    expect(raised.slice(1)).toEqual([last - 1, last])
    expect(outcomes[3]).toHaveProperty(
      'cause.message',
      expect.stringMatching(/^no fence is left up to 9007199254740991/),
    )
    expect(await redis.record('k')).toMatchObject({ state: 'free', fence: String(last) })
  })

  it('continues above the fence of an earlier attempt far ahead of the clock, whose record was lost', async () => {
    let seen = 9_000_000_000_000_000
    const raise = async (_: string, fence: number) => {
      if (fence <= seen) return { status: 'refused', highest: seen } as const
      seen = fence
      return { status: 'clear' } as const
    }
    const once = layer({ sink: { kind: 'fenced', raise } })
    for (const lost of ['nothing', 'the record', 'the record again']) {
      if (lost !== 'nothing') await redis.client.del(name)
      expect(await once.run(message, never)).toMatchObject({ reason: 'superseded' })
      const before = seen
      expect(await once.run(message, async ({ fence }) => fence - before)).toMatchObject({ status: 'done', result: 1 })
    }
  })

  it.each([Number.MAX_SAFE_INTEGER])('rejects a highest fence without room for later ones: %d', async (highest) => {
    const left = `highest: ${highest} leaves no room for later fences: give an integer from 0 to 9007199254740990`
    const raise = async () => ({ status: 'refused', highest }) as const
    const raised = await layer({ sink: { kind: 'fenced', raise } }).run(message, never)
    expect(raised).toMatchObject({ reason: 'raise-failed', cause: { message: `raise: ${left}, or remove it` } })
    expect(Number((await redis.record('k')).fence)).toBeLessThan(Date.now() * 2000)
    await vanished()
    const reconcile = async () => ({ status: 'barred', highest }) as const
    const asked = await layer({ sink: { kind: 'plain', reconcile } }).run(message, never)
    expect(asked).toMatchObject({
      reason: 'reconcile-failed',
      cause: { message: `reconcile: ${left}, or remove it` },
    })
  })

  it('allows nothing if a doubt without a record is settled later than the retention, however high its fence is', async () => {
    // Barred by a fence far ahead of the clock. Then the generation was lost, and the record is
    // void.
    const times = { leaseMs: 100, retentionMs: 200 }
    const highest = 9_000_000_000_000_000
    await vanished()
    const barred = { kind: 'plain', reconcile: async () => ({ status: 'barred', highest }) as const } as const
    expect(await layer({ sink: barred }).run(message, never)).toMatchObject({ reason: 'barred' })
    await redis.client.del(bucketKeysOf('k', buckets).generation)
    const reported: unknown[] = []
    const reconcile = async () => {
      // `askedMs` is in whole milliseconds, but the layer counts microseconds: the request may be
      // up to a millisecond earlier.
      const askedMs = await redis.now()
      while ((await redis.now()) - askedMs <= times.retentionMs);
      return { status: 'barred' } as const
    }
    const late = layer({ ...times, sink: { kind: 'plain', reconcile }, onEvent: ({ type }) => reported.push(type) })
    expect(await late.run(message, never)).toMatchObject({ reason: 'barred' })
    expect(reported).toContain('reconciled')
    expect(reported).not.toContain('reopened')
    expect(await redis.record('k')).toMatchObject({ fence: String(highest) })
    expect((await layer().run(message, never)).status).toBe('in-doubt')
  })

  it('leaves a doubt alone if reconcile fails', async () => {
    await vanished()
    const sink = { kind: 'plain', reconcile: fails(new Error('503')) } as const
    expect(await layer({ sink }).run(message, never)).toMatchObject({ status: 'in-doubt', reason: 'reconcile-failed' })
    expect((await redis.record('k')).state).toBe('begun')
  })

  it('repeats the effect of a vanished holder on a keyed sink', async () => {
    const before = await vanished()
    const outcome = await layer({ sink: { kind: 'keyed' } }).run(message, async ({ fence }) => fence > before)
    expect(outcome).toEqual({ status: 'done', result: true, repeated: false })
  })

  it.each([
    ['clear', { status: 'clear' }, { status: 'done', result: true, repeated: false }],
    ['applied', { status: 'applied', result: 'first' }, { status: 'done', result: 'first', repeated: true }],
    ['refused', { status: 'refused' }, { status: 'retry', reason: 'superseded', retryAfterMs: 7500 }],
  ] as const)('raises the fence before it repeats on a fenced sink: %s', async (_, answer, outcome) => {
    const before = await vanished()
    const raised: number[] = []
    const raise = async (key: string, fence: number) => {
      expect(key).toBe('k')
      raised.push(fence)
      return answer
    }
    const effect = answer.status === 'clear' ? async ({ fence }: { fence: number }) => fence === raised[0] : never
    expect(await layer({ sink: { kind: 'fenced', raise } }).run(message, effect)).toEqual(outcome)
    expect(raised).toHaveLength(1)
    expect(raised[0]).toBeGreaterThan(before)
  })

  it('learns the minimum of the next fence from a fenced sink', async () => {
    const ahead = 9_000_000_000_000_000
    const raise = async (_: string, fence: number) =>
      fence > ahead ? ({ status: 'clear' } as const) : ({ status: 'refused', highest: ahead } as const)
    const once = layer({ sink: { kind: 'fenced', raise } })
    expect(await once.run(message, never)).toMatchObject({ status: 'retry', reason: 'superseded' })
    expect(await once.run(message, async ({ fence }) => fence - ahead)).toMatchObject({ status: 'done', result: 1 })
  })

  it.each([-1, 0.5, Number.POSITIVE_INFINITY, '7', null])(
    'ignores the highest fence %j of a fenced sink',
    async (highest) => {
      const raise = async () => ({ status: 'refused', highest }) as never
      const outcome = await layer({ sink: { kind: 'fenced', raise } }).run(message, never)
      expect(outcome).toMatchObject({ status: 'retry', reason: 'raise-failed' })
      expect(outcome).toHaveProperty(
        'cause.message',
        expect.stringContaining(`raise: highest: ${highest} is not a fence`),
      )
      expect(Number((await redis.record('k')).fence)).toBeLessThan(Date.now() * 2000)
    },
  )

  it('performs nothing on a fenced sink that does not answer the raise', async () => {
    const sink = { kind: 'fenced', raise: fails(new Error('timeout')) } as const
    expect(await layer({ sink }).run(message, never)).toMatchObject({ status: 'retry', reason: 'raise-failed' })
    expect((await redis.record('k')).state).toBe('free')
  })

  it('keeps the lease during a longer effect', async () => {
    const once = layer({ leaseMs: 3000 })
    const outcome = await once.run(message, async ({ signal }) => {
      const { deadline } = await redis.record('k')
      while ((await redis.record('k')).deadline === deadline);
      return signal.aborted
    })
    expect(outcome).toMatchObject({ status: 'done', result: false })
  })

  it('notifies the effect if its lease cannot be kept, and still records its result', async () => {
    const outcome = await layer({ leaseMs: 3000 }).run(message, async ({ signal }) => {
      await redis.client.flushall()
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      return 'late'
    })
    expect(outcome).toMatchObject({ status: 'done', result: 'late' })
    expect((await redis.record('k')).state).toBe('completed')
  })

  it('stops waiting for a preparation if the lease is lost', async () => {
    const stuck = async () => {
      await redis.client.flushall()
      return new Promise<never>(() => {})
    }
    expect(await layer({ leaseMs: 300 }).run(message, { prepare: stuck, effect: never })).toMatchObject({
      status: 'retry',
      reason: 'lease-lost',
    })
  })

  it.each<[string, unknown, string]>([
    [
      'a Map',
      { items: [1, new Map([['a', 1]])] },
      'result.items[1] is an instance of Map, which JSON does not give back',
    ],
    ['a bigint', 1n, 'result is a bigint'],
    ['NaN', [Number.NaN], 'result[0] is NaN'],
    ['an undefined item', [undefined], 'result[0] is undefined'],
    ['a getter that throws', Object.defineProperty({}, 'a', { enumerable: true, get: unreadable }), 'no answer'],
  ])('records an effect whose result cannot be kept, and reports it to every copy: %s', async (_, result, why) => {
    const once = layer()
    const first = await once.run(message, async () => result)
    expect(first).toEqual({ status: 'done-unkept', repeated: false, unkept: expect.stringContaining(why) })
    expect(await once.run(message, never)).toEqual({ ...first, repeated: true })
    expect(await redis.record('k')).toMatchObject({ state: 'completed', result: 'null' })
  })

  it('reports that the result was not kept even if a refusal follows', async () => {
    const outcome = await layer().run(message, async () => {
      await redis.script('complete', 'k', 1, 'null', print, ttl, message.producedAt, 'a Map')
      throw new Refusal('stale')
    })
    expect(outcome).toEqual({ status: 'done-unkept', repeated: true, unkept: 'a Map' })
  })

  it('reports a result that was not kept, and still answers done, if Redis is unreachable', async () => {
    const once = layer()
    const outcome = await once.run(message, async () => {
      once.close()
      return new Map()
    })
    expect(outcome).toMatchObject({ status: 'done-unkept', repeated: false, unkept: expect.any(String) })
  })

  it('keeps null without a reason for an effect that returns nothing or null', async () => {
    const once = layer()
    expect(await once.run(message, async () => {})).toEqual({ status: 'done', result: null, repeated: false })
    expect(await once.run(message, never)).toEqual({ status: 'done', result: null, repeated: true })
    expect(await redis.record('k')).not.toHaveProperty('unkept')
  })

  it('rejects a payload that JSON does not restore by its path, before anything is written', async () => {
    for (const payload of [{ items: [1, 2, new Map()] }, { items: [1, 2, Number.NaN] }, { items: [1, 2, undefined] }]) {
      const run = layer().run({ ...message, payload }, never)
      await expect(run).rejects.toThrow(TypeError)
      await expect(run).rejects.toThrow(/^payload\.items\[2\] is /)
    }
    expect(await redis.record('k')).toEqual({})
  })

  it.each(['\ud800', '\udc00', 'order-\ud83d', '\ude00\ud83d'])(
    'rejects a key that shares its bytes with others: %j',
    async (key) => {
      const run = layer().run({ ...message, key }, never)
      await expect(run).rejects.toThrow(TypeError)
      await expect(run).rejects.toThrow(`the key ${JSON.stringify(key)} is not well-formed Unicode`)
      expect(await redis.client.keys('once:*}:*')).toEqual([])
    },
  )

  it('performs one effect for each well-formed key, however similar they look', async () => {
    const once = layer()
    await redis.client.flushall()
    await adopt({ redis: redis.client, since: 0 })
    for (const key of ['\ufffd', '\u{1f600}', 'é', 'e\u0301', 'É', '\0', ' ']) {
      expect(await once.run({ ...message, key }, async () => key)).toEqual({
        status: 'done',
        result: key,
        repeated: false,
      })
    }
  })

  it('never takes the record of one key for another, whatever its name', async () => {
    await layer().run(message, async () => 1)
    const { record: other } = bucketKeysOf('other', buckets)
    await redis.client.copy(name, other)
    expect(await layer().run({ ...message, key: 'other' }, never)).toMatchObject({ status: 'conflict' })
  })

  it('recognizes messages of records of the previous version', async () => {
    await redis.script('complete', 'k', 1, '7', formerPrint, ttl, '')
    expect(await layer().run(message, never)).toEqual({ status: 'done', result: 7, repeated: true })
    expect(await layer().run({ ...message, payload: 2 }, never)).toMatchObject({ status: 'conflict' })
  })

  it('takes over keys that the previous version acquired, with a fingerprint of this one', async () => {
    await acquired(1, formerPrint)
    await redis.leaseEnded('k')
    expect(await layer().run(message, async () => 1)).toEqual({ status: 'done', result: 1, repeated: false })
    expect((await redis.record('k')).fingerprint).toBe(print)
  })

  it('reopens a doubt of the previous version', async () => {
    await vanished(formerPrint)
    const sink = { kind: 'plain', reconcile: async () => ({ status: 'barred' }) as const } as const
    expect(await layer({ sink }).run(message, never)).toMatchObject({ status: 'retry', reason: 'barred' })
    expect(await redis.record('k')).toMatchObject({ state: 'free', fingerprint: print })
  })

  it('sets aside a key whose record the previous version may have written for a key that was not Unicode', async () => {
    const key = '\ufffd'
    const { payload, producedAt } = message
    const former = formerFingerprintOf('any', JSON.stringify(payload), producedAt)
    await redis.script('complete', key, 1, '7', former, ttl, '')
    expect(await layer().run({ ...message, key }, never)).toMatchObject({ status: 'conflict' })
  })

  it('rejects a message without a key or a produced-at time, and impossible numbers', async () => {
    await expect(layer().run({ ...message, key: '' }, never)).rejects.toThrow(TypeError)
    await expect(layer().run({ ...message, producedAt: 0.5 }, never)).rejects.toThrow(TypeError)
    expect(() => layer({ leaseMs: 9 })).toThrow(RangeError)
    expect(() => layer({ leaseMs: 1000, retentionMs: 999 })).toThrow(RangeError)
    expect(() => layer({ buckets: 0 })).toThrow(RangeError)
    expect(await redis.record('k')).toEqual({})
  })

  it.each([
    ['transactional', "sink: 'transactional' needs a `pool`"],
    ['Plain', "sink: 'Plain' is not a kind of sink: give 'plain', 'keyed' or 'fenced'"],
    [undefined, 'is not a kind of sink'],
    ['fenced', "sink: 'fenced' needs a function `raise`"],
  ])('rejects a sink that would settle doubts by itself: %s', (kind, wrong) => {
    expect(() => layer({ sink: { kind } as never })).toThrow(TypeError)
    expect(() => layer({ sink: { kind } as never })).toThrow(wrong)
  })

  const noDurations = [-1, Number.NaN, Number.POSITIVE_INFINITY, 1000.5, 2 ** 53, '10000', 10_000n, null] as never[]
  it.each(['leaseMs', 'retentionMs', 'maxClockSkewMs'])('names an impossible duration: %s', (name) => {
    for (const value of noDurations) expect(() => layer({ [name]: value })).toThrow(RangeError)
    expect(() => layer({ [name]: '10000' as never })).toThrow(`${name}: 10000 (string) is not an integer from `)
  })

  it('rejects a lease longer than the maximum of a timer, and accepts the maximum', async () => {
    const lasting = { retentionMs: 2 ** 40 }
    expect(() => layer({ ...lasting, leaseMs: 2 ** 31 })).toThrow(
      'leaseMs: 2147483648 is not an integer from 10 to 2147483647',
    )
    const work = { prepare: () => redis.now(), effect: async ({ signal }: { signal: AbortSignal }) => signal.aborted }
    const outcome = await layer({ ...lasting, leaseMs: 2 ** 31 - 1 }).run(message, work)
    expect(outcome).toEqual({ status: 'done', result: false, repeated: false })
  })

  it('rejects a retention whose records would outlive the largest number', () => {
    const retentionMs = Number.MAX_SAFE_INTEGER - 1999
    expect(() => layer({ retentionMs })).toThrow('retentionMs and twice maxClockSkewMs: ')
    expect(() => layer({ retentionMs: retentionMs - 1 })).not.toThrow()
  })
})
