/**
 * What an operator sees and settles, on a real server. Every settlement has a case that comes too
 * late.
 */
import { afterEach, beforeEach, expect, it } from 'vitest'
import { bucketKeysOf } from '../../src/impl/identity.ts'
import { adopt, type KeyInDoubt, type Once, type OnceOptions } from '../../src/impl/once.ts'
import { buckets, closeLayers, freshMessage, layerAt, never } from './layers.ts'
import { describeOnRedis } from './real-redis.ts'

class Refusal extends Error {}

const nameOf = (key: string) => bucketKeysOf(key, buckets).record

const fails = (error: Error) => async () => {
  throw error
}

describeOnRedis('an operator', (redis) => {
  beforeEach(async () => void (await adopt({ redis: redis.client, buckets, since: 0 })))
  afterEach(closeLayers)
  const layer = (options: Partial<OnceOptions> = {}) =>
    layerAt(redis.client, {
      leaseMs: 300,
      isRefusal: (error) => error instanceof Refusal,
      sink: { kind: 'plain', settledByHand: true },
      ...options,
    })
  /** A message with an unanswered effect whose lease has ended. */
  const inDoubt = async (once: Once) => {
    const message = freshMessage()
    await once.run(message, fails(new Error('502')))
    return { message, doubt: await reported(once, message.key) }
  }
  /** The doubt once the lease has ended by the clock of Redis. */
  const reported = async (once: Once, key: string): Promise<KeyInDoubt> => {
    for (;;) {
      const found = await once.status(key)
      if (found.status === 'in-doubt') return found.doubt
      expect(found).toMatchObject({ status: 'held', begun: true })
    }
  }
  const listed = async (once: Once) => {
    const doubts: KeyInDoubt[] = []
    for await (const doubt of once.doubts()) doubts.push(doubt)
    return doubts
  }

  it('sees the state of a key without changing it', async () => {
    const once = layer({ leaseMs: 30_000 })
    const message = freshMessage()
    expect(await once.status(message.key)).toEqual({ status: 'unknown', since: 0 })
    await once.run(message, {
      prepare: async () => expect(await once.status(message.key)).toMatchObject({ status: 'held', begun: false }),
      effect: async ({ fence }) => {
        const state = await once.status(message.key)
        expect(state).toEqual({ status: 'held', begun: true, fence, leftMs: expect.any(Number) })
        return { id: 7 }
      },
    })
    expect(await once.status(message.key)).toEqual({ status: 'done', result: { id: 7 } })
    const refused = freshMessage()
    await once.run(refused, fails(new Refusal('card expired')))
    expect(await once.status(refused.key)).toEqual({ status: 'refused', error: 'card expired' })
    const unkept = freshMessage()
    await once.run(unkept, async () => new Map())
    expect(await once.status(unkept.key)).toEqual({ status: 'done-unkept', unkept: expect.any(String) })
    const open = freshMessage()
    await once.run(open, { prepare: fails(new Error('no database')), effect: never })
    const before = await redis.client.dump(nameOf(open.key))
    expect(await once.status(open.key)).toEqual({ status: 'open' })
    expect(await redis.client.dump(nameOf(open.key))).toEqual(before)
  })

  it('sees a key held for at most a lease, even if the clock of Redis has gone back', async () => {
    const once = layer()
    const message = freshMessage()
    await once.run(message, fails(new Error('502')))
    await redis.client.hset(nameOf(message.key), 'deadline', (await redis.now()) + 3_600_000)
    const found = await once.status(message.key)
    expect(found).toMatchObject({ status: 'held', begun: true, leftMs: 300 })
  })

  it('sees from which time a missing record is a proof, or that it never is', async () => {
    await redis.restart()
    const once = layer()
    const { key } = freshMessage()
    expect(await once.status(key)).toEqual({ status: 'unknown', since: null })
    await once.run({ ...freshMessage(), key, producedAt: 0 }, never)
    const found = await once.status(key)
    expect(found).toEqual({ status: 'unknown', since: expect.any(Number) })
    expect(found.status === 'unknown' && found.since).toBeGreaterThan(0)
  })

  it('gets an error for an impossible key', async () => {
    await expect(layer().status('')).rejects.toThrow(TypeError)
    await expect(layer().status('\ud800')).rejects.toThrow(TypeError)
  })

  it('lists every effect in doubt, and nothing else', async () => {
    const once = layer()
    const { doubt: first } = await inDoubt(once)
    const { doubt: second } = await inDoubt(once)
    await once.run(freshMessage(), async () => 1)
    await redis.client.set('once:{b0}:not a record', 1)
    await redis.client.hset('once:{b99}:of another number of buckets', 'state', 'begun')
    const held = layer({ leaseMs: 30_000 })
    await held.run(freshMessage(), fails(new Error('502')))
    const doubts = await listed(once)
    expect(doubts.toSorted((a, b) => a.fence - b.fence)).toEqual([first, second])
    expect(await listed(layer({ sink: { kind: 'keyed' } }))).toEqual([])
  })

  it('refuses a doubt of an older version, or one without its handle', async () => {
    const once = layer()
    const { doubt } = await inDoubt(once)
    const { handle, ...rest } = doubt
    for (const other of [{ ...rest, ...handle }, rest, null, { ...doubt, fence: '7' }])
      await expect(once.settle(other as never, { status: 'barred' })).rejects.toThrow(
        'settle: not a doubt of this version: take it from status or doubts, unchanged',
      )
    expect(await listed(once)).toEqual([doubt])
  })

  it('sees the keys of its namespace and its prefix only', async () => {
    const message = freshMessage()
    const names = [{}, { namespace: 'pay' }, { namespace: 'ship' }, { keyPrefix: 'acme[1]:once:', namespace: 'pay' }]
    for (const [at, name] of names.entries()) {
      await adopt({ redis: redis.client, buckets, since: 0, ...name })
      expect(await layer(name).run(message, async () => at)).toMatchObject({ result: at, repeated: false })
      await layer(name).run({ ...message, key: `doubt ${at}` }, fails(new Error('502')))
    }
    for (const [at, name] of names.entries()) {
      const once = layer(name)
      expect(await once.status(message.key)).toEqual({ status: 'done', result: at })
      const doubt = await reported(once, `doubt ${at}`)
      expect(await listed(once)).toEqual([doubt])
    }
    const prefixes = (await redis.client.keys('*')).map((key) => key.slice(0, key.indexOf('{')))
    expect([...new Set(prefixes)].sort()).toEqual(['acme[1]:once:pay:', 'once:', 'once:pay:', 'once:ship:'])
  })

  it('lists effects in doubt with any prefix', async () => {
    const once = layerAt({ host: '127.0.0.1', port: redis.port, keyPrefix: 'app[1]*:' }, { leaseMs: 300 })
    await adopt({ redis: { host: '127.0.0.1', port: redis.port, keyPrefix: 'app[1]*:' }, buckets, since: 0 })
    const { doubt } = await inDoubt(once)
    expect(await listed(once)).toEqual([doubt])
    expect(await listed(layer())).toEqual([])
  })

  it('gets an error if a list would be incomplete, because the server was another primary meanwhile', async () => {
    const filler = redis.client.pipeline()
    for (let at = 0; at < 3000; at++)
      filler.hset(nameOf(`filler-${at}`), 'state', 'begun', 'deadline', '1', 'fence', '1')
    await filler.exec()
    const once = layer({ leaseMs: 30_000 })
    expect(await listed(once)).toHaveLength(3000)
    let seen = 0
    const listing = async () => {
      for await (const _ of once.doubts()) {
        if (++seen > 1) continue
        await redis.client.replicaof('127.0.0.1', 1)
        await redis.client.replicaof('NO', 'ONE')
      }
    }
    await expect(listing()).rejects.toThrow('the primary was demoted while its keys were listed: list them again')
    expect(seen).toBeLessThan(3000)
  })

  it('settles an effect as applied, and later copies get the first result', async () => {
    const once = layer()
    const { message, doubt } = await inDoubt(once)
    expect(await once.settle(doubt, { status: 'applied', result: { id: 7 } })).toEqual({
      status: 'done',
      result: { id: 7 },
    })
    expect(await once.run(message, never)).toEqual({ status: 'done', result: { id: 7 }, repeated: true })
    expect(await once.settle(doubt, { status: 'applied', result: { id: 8 } })).toMatchObject({ result: { id: 7 } })
    expect(await once.settle(doubt, { status: 'barred' })).toEqual({ status: 'stale' })
    expect(await listed(once)).toEqual([])
    await expect(once.settle(doubt, { status: 'applied', result: new Map() })).rejects.toThrow(TypeError)
  })

  it('settles an effect as barred, which allows exactly one more attempt', async () => {
    const once = layer()
    const { message, doubt } = await inDoubt(once)
    // A copy, as from a tool of the operator.
    const kept: KeyInDoubt = JSON.parse(JSON.stringify(doubt))
    expect(await once.settle(kept, { status: 'barred' })).toEqual({ status: 'open' })
    expect(await once.status(message.key)).toEqual({ status: 'open' })
    await once.run(message, fails(new Error('502')))
    expect(await once.settle(kept, { status: 'barred' })).toEqual({ status: 'stale' })
    const again = await reported(once, message.key)
    expect(again.fence).toBeGreaterThan(doubt.fence)
    expect(await once.settle(again, { status: 'barred' })).toEqual({ status: 'open' })
    expect(await once.run(message, async () => 1)).toMatchObject({ status: 'done', repeated: false })
  })

  it('gives the next attempt a fence above the barring one', async () => {
    const once = layer()
    const { message, doubt } = await inDoubt(once)
    const highest = Number.MAX_SAFE_INTEGER - 1
    await expect(once.settle(doubt, { status: 'barred', highest: -1 })).rejects.toThrow(
      /settle: highest: -1 is not a fence/,
    )
    await expect(once.settle(doubt, { status: 'barred', highest: highest + 1 })).rejects.toThrow(
      'settle: highest: 9007199254740991 leaves no room for later fences: give an integer from 0 to 9007199254740990, or remove it',
    )
    expect(await once.settle(doubt, { status: 'barred', highest })).toEqual({ status: 'open' })
    expect(await once.run(message, async ({ fence }) => fence - highest)).toMatchObject({ status: 'done', result: 1 })
  })

  it('reopens nothing if a refusal may have been answered without a record', async () => {
    const once = layer({ sink: { kind: 'plain' } })
    const { doubt } = await inDoubt(once)
    await expect(once.settle(doubt, { status: 'barred' })).rejects.toThrow(/settledByHand/)
    expect(await listed(once)).toEqual([doubt])
  })

  it('does not reopen what a handler assumed dead has completed meanwhile', async () => {
    const once = layer()
    const message = freshMessage()
    let [start, answerLate] = [() => {}, () => {}]
    const begun = new Promise<void>((resolve) => (start = resolve))
    const late = new Promise<void>((resolve) => (answerLate = resolve))
    const slow = layer({ leaseMs: 30_000 }).run(message, async () => {
      start()
      await late
      return 'late'
    })
    // Its heartbeats stop, as in a paused process.
    await begun
    await redis.client.hset(nameOf(message.key), 'deadline', 1)
    const doubt = await reported(once, message.key)
    answerLate()
    expect(await slow).toEqual({ status: 'done', result: 'late', repeated: false })
    expect(await once.settle(doubt, { status: 'barred' })).toEqual({ status: 'stale' })
    expect(await once.status(message.key)).toEqual({ status: 'done', result: 'late' })
  })

  it('does not reopen a doubt from before a possible loss of data', async () => {
    const once = layer()
    const { message, doubt } = await inDoubt(once)
    const record = await redis.client.dumpBuffer(nameOf(message.key))
    await redis.restart()
    await redis.client.restore(nameOf(message.key), 0, record)
    expect(await once.settle(doubt, { status: 'barred' })).toEqual({ status: 'stale' })
    // Listed again, it belongs to the present data, although no run has noticed the change.
    const again = await reported(once, message.key)
    const handle = { ...doubt.handle, of: expect.not.stringMatching(doubt.handle.of) }
    expect(again).toEqual({ ...doubt, handle })
    expect(await once.settle(again, { status: 'barred' })).toEqual({ status: 'open' })
  })

  it('gets an error if Redis does not answer', async () => {
    const once = layerAt({ host: '127.0.0.1', port: 1 }, { leaseMs: 300, sink: { kind: 'plain', settledByHand: true } })
    const unknown = { producedAt: null, begunAt: null, process: null, attempt: null, meta: null }
    const doubt = { key: 'k', ...unknown, fence: 1, handle: { nonce: 'n', of: 'g', fingerprint: 'f' } }
    expect(await once.status('k')).toMatchObject({ status: 'unreachable' })
    expect(await once.settle(doubt, { status: 'barred' })).toMatchObject({ status: 'unreachable' })
    expect(await once.settle(doubt, { status: 'applied', result: 1 })).toMatchObject({ status: 'unreachable' })
    await expect(listed(once)).rejects.toThrow()
  })
})
