import { readdirSync } from 'node:fs'
import { Redis } from 'ioredis'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { describeOnRedis } from '../impl/real-redis.ts'
import { Bench, commandsOf, load, message } from './article-bench.ts'
import { type Answer, cases } from './article-cases.ts'

const receipt = { effectId: 'effect-1', key: message.key }
const folder = new URL('../../implementations/articles/', import.meta.url)
/** Tested in `articles-on-postgres.server.test.ts`. */
const onPostgres = ['003-postgres-skip-locked']

/** Not tested on a real server. */
const onDynamoDB = ['003-dynamodb']

describe('the files of the articles', () => {
  it('are all listed here', () => {
    expect(readdirSync(folder).sort()).toEqual(
      [...cases.map(({ id }) => id), ...onPostgres, ...onDynamoDB].map((id) => `${id}.ts`).sort(),
    )
  })

  it.each(cases.map(({ id }) => id))('%s has the name of its file and declares itself broken', async (id) => {
    const implementation = await load(id)
    expect(implementation).toMatchObject({ id, expect: 'broken', sinks: ['plain', 'keyed'] })
    expect(implementation.about).toMatch(/\(article 00\d/)
  })
})

describeOnRedis('the patterns of the articles on a real Redis', (redis) => {
  let bench: Bench
  beforeEach(() => {
    bench = new Bench(redis.client, redis.port)
  })
  afterEach(() => {
    vi.restoreAllMocks()
    return bench.close()
  })

  describe.each(cases)('$id', ({ id, commands, during, after, duplicate, meanwhile, failure }) => {
    /** Expects this answer, in the form of the cases. */
    async function expectAnswer(answer: Answer, deliver: () => Promise<unknown>) {
      const before = bench.sink.effects
      const answered = await deliver()
      const performs = answer === 'performs'
      expect(bench.sink.effects - before).toBe(performs ? 1 : 0)
      if (performs) expect(answered).toMatchObject({ status: 'done', result: { key: message.key } })
      else expect(answered).toEqual(answer === 'the receipt' ? { status: 'done', result: receipt } : answer)
    }

    it('performs once and answers with the receipt, by the commands of its article', async () => {
      const deliver = await bench.consumer(id)
      await deliver({ ...message, key: 'warm-up' })
      const seen = await commandsOf(redis.client, () => deliver())
      expect(seen).toEqual(commands)
      expect(bench.sink.effects).toBe(2)
    })

    it('stores the keys of its article for the times of its article', async () => {
      const deliver = await bench.consumer(id)
      let seen: unknown
      bench.sink.during = async () => {
        seen = await bench.stored(during)
      }
      expect(await deliver()).toEqual({ status: 'done', result: receipt })
      expect(seen).toEqual(during)
      expect(await bench.stored(after)).toEqual(after)
    })

    it('answers a second delivery without a second effect', async () => {
      await (await bench.consumer(id))()
      const another = await bench.consumer(id)
      await expectAnswer(duplicate, () => another())
    })

    it('answers a delivery during the first effect', async () => {
      const [deliver, another] = [await bench.consumer(id), await bench.consumer(id)]
      bench.sink.during = () => expectAnswer(meanwhile, () => another())
      await deliver()
      expect(bench.sink.effects).toBe(meanwhile === 'performs' ? 2 : 1)
    })

    it('answers after a failed effect, and leaves the same keys as its article', async () => {
      const deliver = await bench.consumer(id)
      bench.sink.failing = true
      await expectAnswer(failure.answer, () => deliver())
      expect(await bench.stored(failure.stored)).toEqual(failure.stored)
    })
  })

  const v1 = `idempotency:v1:${message.key}`
  const v2 = `idempotency:v2:producer:${message.key}`

  describe.each(['000-get-set-record', '000-lua-acquire', '000-decorator'])('%s', (id) => {
    const holder = (lockExpiryMs: number) =>
      redis.client.set(v1, JSON.stringify({ status: 'STARTED', lock_expiry: new Date(lockExpiryMs).toISOString() }))

    it('takes over a record past its lock_expiry by the client’s clock', async () => {
      await holder(Date.now() - 1000)
      expect(await (await bench.consumer(id))()).toEqual({ status: 'done', result: receipt })
    })

    it('takes over no earlier record', async () => {
      await holder(Date.now() + 60_000)
      await (await bench.consumer(id))()
      expect(bench.sink.effects).toBe(0)
    })
  })

  it.each([
    [301, 1],
    [298, 0],
  ])('001-lua-server-time, with a holder of %i s by the clock of Redis, performs %i times', async (age, effects) => {
    const [seconds] = await redis.client.time()
    const timestamp = (Number(seconds) - age) * 1000
    await redis.client.set(v2, JSON.stringify({ status: 'PROCESSING', owner: 'another', timestamp }))
    await (await bench.consumer('001-lua-server-time'))()
    expect(bench.sink.effects).toBe(effects)
  })

  const another = JSON.stringify({ status: 'PROCESSING', owner: 'another', timestamp: Date.now() / 1000 })

  /** During the effect, another holder takes the key. */
  const takenMeanwhile = (name: string, value = another) => {
    bench.sink.during = async () => void (await redis.client.set(name, value, 'EX', 300))
  }

  it.each([
    ['000-set-nx-marker', v1],
    ['001-set-nx-delete', `idempotency:v1:producer:${message.key}`],
    ['001-lua-server-time', v2],
    ['002-get-then-processing', v1],
    ['002-check-and-set', v1],
    ['003-set-nx-in-progress', message.key],
  ])('%s deletes the key after a failure, even the key of another holder', async (id, name) => {
    takenMeanwhile(name)
    bench.sink.failing = true
    await (await bench.consumer(id))()
    expect(await redis.client.exists(name)).toBe(0)
  })

  it.each([
    ['000-get-set-record', v1],
    ['000-lua-acquire', v1],
    ['000-decorator', v1],
    ['001-lua-server-time', v2],
    ['002-check-and-set', v1],
    ['003-set-nx-in-progress', message.key],
  ])('%s completes even a key that another holder has taken', async (id, name) => {
    takenMeanwhile(name)
    expect(await (await bench.consumer(id))()).toEqual({ status: 'done', result: receipt })
    expect(await redis.client.get(name)).toContain('COMPLETED')
  })

  describe.each(['002-owner-token', '002-watch-multi'])('%s', (id) => {
    it.each([
      ['', { status: 'done', result: null }],
      ['-nack-on-skip', { status: 'retry' }],
    ])('%s leaves a key that another holder has taken, and answers without a result', async (reading, answer) => {
      takenMeanwhile(v1)
      expect(await (await bench.consumer(id + reading))()).toEqual(answer)
      expect(await redis.client.get(v1)).toBe(another)
    })

    it('answers without a result if its own record is gone', async () => {
      bench.sink.during = async () => void (await redis.client.del(v1))
      expect(await (await bench.consumer(id))()).toEqual({ status: 'done', result: null })
      expect(await redis.client.exists(v1)).toBe(0)
    })

    it('skips a record that it considers stale', async () => {
      await redis.client.set(v1, JSON.stringify({ status: 'PROCESSING', owner: 'another', timestamp: 0 }))
      expect(await (await bench.consumer(id))()).toEqual({ status: 'done', result: null })
      expect(bench.sink.effects).toBe(0)
    })
  })

  it.each([
    ['002-owner-token', { status: 'done', result: receipt }, 'COMPLETED'],
    ['002-watch-multi', { status: 'done', result: null }, 'FAILED'],
  ])('%s performs a key in another state, and owns it only if its lock says so', async (id, answer, left) => {
    await redis.client.set(v1, JSON.stringify({ status: 'FAILED' }))
    expect(await (await bench.consumer(id))()).toEqual(answer)
    expect(await redis.client.get(v1)).toContain(left)
  })

  describe('002-watch-multi', () => {
    /** Runs `meanwhile` after the reply to the GET of the transaction, which is the second one. */
    const afterWatchedGet = (meanwhile: (watcher: Redis) => Promise<unknown>) => {
      const { get } = Redis.prototype
      let gets = 0
      vi.spyOn(Redis.prototype, 'get').mockImplementation(async function (this: Redis, ...args: unknown[]) {
        const found = await get.apply(this, args as never)
        if (++gets === 2) await meanwhile(this)
        return found
      } as never)
    }

    it.each([
      ['is changed', (): Promise<unknown> => redis.client.set(v1, another)],
      ['loses its connection', async (watcher: Redis) => redis.client.client('KILL', 'ID', await watcher.client('ID'))],
    ])('answers without a result if its transaction %s, and handles the next message', async (_how, meanwhile) => {
      const deliver = await bench.consumer('002-watch-multi')
      afterWatchedGet(meanwhile)
      expect(await deliver()).toEqual({ status: 'done', result: null })
      expect(await redis.client.get(v1)).toContain('PROCESSING')
      expect(await deliver({ ...message, key: 'order-2' })).toMatchObject({
        status: 'done',
        result: { key: 'order-2' },
      })
    })

    it('answers with the receipt if its transaction is undisturbed', async () => {
      const deliver = await bench.consumer('002-watch-multi')
      afterWatchedGet(async () => {})
      expect(await deliver()).toEqual({ status: 'done', result: receipt })
    })
  })

  describe.each(['004-lock-and-record', '004-two-phase-lock'])('%s', (id) => {
    const lock = `lock:${message.key}`

    it('performs nothing while another holder has the lock, and leaves it', async () => {
      await redis.client.set(lock, 'another')
      expect(await (await bench.consumer(id))()).toEqual({ status: 'retry' })
      expect(bench.sink.effects).toBe(0)
      expect(await redis.client.get(lock)).toBe('another')
    })
  })

  it('004-lock-and-record stores its result even after it lost the lock, and leaves the lock', async () => {
    takenMeanwhile(`lock:${message.key}`, 'another')
    expect(await (await bench.consumer('004-lock-and-record'))()).toEqual({ status: 'done', result: receipt })
    expect(await redis.client.get(`lock:${message.key}`)).toBe('another')
    expect(await redis.client.exists(`record:${message.key}`)).toBe(1)
  })

  describe('004-two-phase-lock', () => {
    it('fails after five tries to retake a busy lock, and leaves STARTED', async () => {
      takenMeanwhile(`lock:${message.key}`, 'another')
      const deliver = await bench.consumer('004-two-phase-lock')
      const seen = await commandsOf(redis.client, async () => expect(await deliver()).toEqual({ status: 'retry' }))
      const taking = `set lock:${message.key} <token> EX 5 NX`
      expect(seen.filter((command) => command === taking)).toHaveLength(6)
      expect(await redis.client.get(`record:${message.key}`)).toBe('{"status":"STARTED"}')
      expect(bench.sink.effects).toBe(1)
    })

    it.each([
      ['004-two-phase-lock', { status: 'retry' }],
      ['004-two-phase-lock-ack-on-error', { status: 'refused', error: 'the effect fails' }],
    ])('%s repeats a stored failure, although the effect would succeed now', async (id, answer) => {
      const deliver = await bench.consumer(id)
      bench.sink.failing = true
      await deliver()
      bench.sink.failing = false
      expect(await deliver()).toEqual(answer)
      expect(bench.sink.effects).toBe(0)
    })
  })
})
