import { Redis } from 'ioredis'
import { describe, expect, it } from 'vitest'
import type { PlannedFault } from '../../../src/contract/api/plan.ts'
import { done, layer, nowMs, play, sleep, withAndWithout } from '../../sim/world-lab.ts'

/** The times in milliseconds when an INCR was sent, executed and answered. It is sent at 200. */
const incrementing = () =>
  layer(async (_, redis) => {
    await sleep(200 - nowMs())
    await redis.incr('n')
    return { status: 'done', result: nowMs() }
  })

const cut = { kind: 'partition', when: { at: 'time', ms: 100 }, consumer: 0, node: 'redis', healAfterMs: 1000 } as const

describe('partition', () => {
  it.each([
    ['to-node', 'nothing passes from consumer-1 to redis, for 1 s', true],
    ['to-process', 'nothing passes from redis to consumer-1, for 1 s', false],
    ['both', 'consumer-1 and redis are cut off from each other, for 1 s', true],
  ])('%s', async (way, sentence, requestWaits) => {
    const { struck, spared } = await withAndWithout(incrementing, { ...cut, way })
    expect(struck.of('fault-struck')).toMatchObject([{ sentence }])
    expect(struck.of('fault-healed')).toMatchObject([{ sentence: 'consumer-1 and redis reach each other again' }])
    const executedUs = (played: typeof struck) => played.of('command').find(({ command }) => command === 'incr n')!.atUs
    const answeredUs = (played: typeof struck) => played.of('answered')[0]!.atUs
    expect(executedUs(struck) > 1_100_000).toBe(requestWaits)
    expect(answeredUs(struck)).toBeGreaterThan(1_100_000)
    expect([executedUs(spared) < 250_000, answeredUs(spared) < 250_000]).toEqual([true, true])
  })

  it('strikes one consumer and one node', async () => {
    const late = async (fault: { consumer: number; node: string }) => {
      const { of } = await play(incrementing(), { consumers: 2, faults: [{ ...cut, way: 'both', ...fault }] })
      return [of('delivered')[0]!.process, of('answered')[0]!.atUs > 1_000_000]
    }
    expect(await late({ consumer: 0, node: 'redis' })).toEqual(['consumer-2', false])
    expect(await late({ consumer: 1, node: 'redis' })).toEqual(['consumer-2', true])
    expect(await late({ consumer: 1, node: 'sink' })).toEqual(['consumer-2', false])
  })

  it('names the cut link if it is aimed at a command; otherwise the plan has it', async () => {
    const aimed = { at: 'command-unsent', consumer: 0, nth: 1, of: { label: 'INCR' } } as const
    const of = async (when: typeof aimed | typeof cut.when) =>
      (await play(incrementing(), { consumers: 2, faults: [{ ...cut, way: 'both', when }] })).of('fault-struck')
    expect(await of(aimed)).toMatchObject([{ process: 'consumer-2', sentence: expect.stringContaining('consumer-2') }])
    expect((await of(cut.when))[0]).not.toHaveProperty('process')
  })

  it('does not heal another one that it overlaps', async () => {
    const inner = { ...cut, way: 'both', when: { at: 'time', ms: 150 }, healAfterMs: 100 } as const
    const { of } = await play(incrementing(), { faults: [{ ...cut, way: 'to-node' }, inner] })
    expect(of('fault-healed').map(({ sentence }) => sentence)).toEqual([
      'consumer-1 and redis are cut off from each other no longer, except for another partition',
      'consumer-1 and redis reach each other again',
    ])
    expect(of('command').find(({ command }) => command === 'incr n')!.atUs).toBeGreaterThan(1_100_000)
    const again = await play(incrementing(), { faults: [{ ...cut, way: 'both' }, inner] })
    expect(again.of('fault-struck')).toHaveLength(1)
  })

  it('from the sink in one direction applies the effect, but its caller is not answered in time', async () => {
    const adapter = () => layer(({ key, payload }, _, { sink }) => sink.perform({ key, payload }).then(() => done))
    const fault = { ...cut, node: 'sink', way: 'to-process', when: { at: 'time', ms: 0 } } as const
    const { struck, spared } = await withAndWithout(adapter, fault, { maxAttempts: 1 })
    expect(struck.of('effect-applied')).toHaveLength(1)
    expect(struck.of('threw')).toMatchObject([{ error: 'SinkTimeout: no answer from the sink within 500 ms' }])
    expect(spared.of('threw')).toEqual([])
  })
})

describe('half-open', () => {
  const forgotten = { kind: 'half-open', when: { at: 'time', ms: 100 }, consumer: 0 } as const
  const outcomes = (options: object) => async (faults: readonly PlannedFault[]) => {
    const adapter = {
      create: ({ redis: { options: place } }: { redis: { options: object } }) => {
        const redis = new Redis({
          ...place,
          maxRetriesPerRequest: 0,
          retryStrategy: () => 50,
          ...options,
          replyMapping: 'legacy',
        })
        redis.on('error', () => {})
        return {
          async handle() {
            await sleep(200 - nowMs())
            return redis.incr('n').then(
              () => done,
              ({ message }: Error) => ({ status: 'retry', reason: message }) as const,
            )
          },
          close: () => redis.disconnect(),
        }
      },
    }
    return play(adapter, { faults, visibilityMs: 2_000_000 })
  }

  it('lets a client with a time-out reconnect', async () => {
    const patient = outcomes({ socketTimeout: 300, autoResendUnfulfilledCommands: false })
    const { of } = await patient([forgotten])
    expect(of('fault-struck')).toMatchObject([{ process: 'consumer-1', fault: 'half-open' }])
    expect(of('request-lost')).toMatchObject([{ process: 'consumer-1', command: 'INCR' }])
    expect(of('request-lost')[0]!.atUs).toBeLessThan(210_000)
    expect(of('answered').map(({ outcome }) => outcome.status)).toEqual(['retry', 'done'])
    expect(of('answered')[1]!.atUs).toBeLessThan(1_000_000)
    const spared = await patient([])
    expect([spared.of('request-lost'), spared.of('answered').length]).toEqual([[], 1])
  })

  it('hangs a client without one until TCP gives up, unlike a partition that heals', async () => {
    const hanging = outcomes({})
    const { of } = await hanging([forgotten])
    expect(of('answered')[0]!.atUs).toBeGreaterThan(924_000_000)
    const healed = await hanging([{ ...cut, way: 'both' }])
    expect(healed.of('answered')[0]!.atUs).toBeLessThan(2_000_000)
  })

  it('loses the reply to a command in flight', async () => {
    const when = { at: 'command-executed', consumer: 0, nth: 1 } as const
    const { of } = await outcomes({ socketTimeout: 300, autoResendUnfulfilledCommands: false })([
      { kind: 'half-open', when },
    ])
    expect(of('reply-lost')).toMatchObject([{ process: 'consumer-1', command: 'INCR' }])
    expect(of('request-lost')).toEqual([])
  })

  it('has no effect without a connection', async () => {
    const { of } = await outcomes({})([{ ...forgotten, when: { at: 'time', ms: 0 } }])
    expect(of('fault-struck')).toEqual([])
  })
})

describe('slow-link', () => {
  const slow = { kind: 'slow-link', when: { at: 'time', ms: 100 }, consumer: 0, node: 'redis', extraMs: 300 } as const

  it('slows both directions, and overlapping ones add up', async () => {
    const took = async (...faults: (typeof slow & { healAfterMs: number })[]) =>
      Number((await play(incrementing(), { faults })).of('answered')[0]!.atUs) / 1000 - 200
    expect(await took()).toBeLessThan(50)
    expect(await took({ ...slow, healAfterMs: 5000 })).toBeGreaterThan(600)
    expect(await took({ ...slow, healAfterMs: 5000 })).toBeLessThan(650)
    expect(await took({ ...slow, healAfterMs: 5000 }, { ...slow, healAfterMs: 5000 })).toBeGreaterThan(1200)
    // One of the two heals, and the other remains.
    const one = await took({ ...slow, healAfterMs: 5000 }, { ...slow, healAfterMs: 50 })
    expect([one > 600, one < 650]).toEqual([true, true])
  })
})
