import { describe, expect, it } from 'vitest'
import type { Implementation } from '../../src/contract/api/implementation.ts'
import type { Message } from '../../src/contract/api/message.ts'
import { redeliveryBoundMs } from '../../src/run/broker.ts'
import { done, layer, play, sleep } from '../sim/world-lab.ts'

const retry = { status: 'retry' } as const
const deliveredMs = (played: Awaited<ReturnType<typeof play>>) => played.of('delivered').map(({ atUs }) => atUs / 1000)

describe('an unanswered delivery', () => {
  it('times out, and the next attempt comes at once', async () => {
    let calls = 0
    const silent = layer(() => (calls++ === 0 ? new Promise(() => {}) : done))
    const played = await play(silent, { visibilityMs: 700 })
    expect(deliveredMs(played)).toEqual([0, 700])
    expect(played.of('delivery-timed-out')).toMatchObject([{ deliveryId: 1, atUs: 700_000 }])
    expect(played.of('settled')).toMatchObject([{ messageId: 'message-1', as: 'done' }])
  })

  it('is given up after the attempts of the plan', async () => {
    const played = await play(
      layer(() => new Promise(() => {})),
      { visibilityMs: 700, maxAttempts: 3 },
    )
    expect(played.of('delivered').map(({ attempt }) => attempt)).toEqual([1, 2, 3])
    expect(played.of('settled')).toMatchObject([{ as: 'given-up', reason: 'its attempts ran out' }])
    // A working handler is awaited, in case it has an effect.
    expect(played.of('ended')).toMatchObject([{ complete: true }])
  })

  it('is not given up earlier than the layer declares, whatever its attempts', async () => {
    const busy = layer(() => ({ status: 'retry' }))
    const givenUpMs = async (recoveryBoundMs?: number) => {
      const declared = recoveryBoundMs === undefined ? busy : { ...busy, recoveryBoundMs }
      return (await play(declared, { maxAttempts: 3 }))
        .of('settled')
        .map(({ as, atUs }) => `${as} ${atUs > 600_000_000}`)
    }
    expect(await givenUpMs()).toEqual(['given-up false'])
    expect(await givenUpMs(1000)).toEqual(['given-up false'])
    expect(await givenUpMs(300_000)).toEqual(['given-up true'])
  })

  it('does not count once it is late', async () => {
    let calls = 0
    const late = layer(async () => {
      const first = calls++ === 0
      await sleep(first ? 1000 : 900)
      return first ? { status: 'dead-letter', reason: 'too late' } : done
    })
    const played = await play(late, { visibilityMs: 700, maxAttempts: 2 })
    expect(played.of('answered').map(({ outcome }) => outcome.status)).toEqual(['dead-letter', 'done'])
    expect(played.of('settled')).toMatchObject([{ as: 'given-up' }])
    let timely = 0
    const inTime = layer(() => (timely++ === 0 ? { status: 'dead-letter', reason: 'in time' } : done))
    expect((await play(inTime)).of('settled')).toMatchObject([{ as: 'dead-lettered', reason: 'in time' }])
  })
})

describe('an answered delivery', () => {
  it.each([
    [done, 'done'],
    [{ status: 'accepted' }, 'accepted'],
    [{ status: 'refused', error: 'no' }, 'refused'],
    [{ status: 'dead-letter', reason: 'in-doubt' }, 'dead-lettered'],
  ] as const)('%j settles the message as %s', async (outcome, as) => {
    const played = await play(layer(() => outcome))
    expect(played.of('settled')).toMatchObject([{ as }])
    expect(played.of('delivered')).toHaveLength(1)
  })

  it('comes again after a retry no sooner than requested, and not much later', async () => {
    const pauses = async (...asked: (number | undefined)[]) => {
      const answers = asked.map((afterMs) => (afterMs === undefined ? retry : { ...retry, afterMs }))
      const played = await play(
        layer(() => answers.shift() ?? done),
        { redeliveryMs: 100 },
      )
      const times = played.of('answered').map(({ atUs }) => atUs / 1000)
      return deliveredMs(played)
        .slice(1)
        .map((ms, at) => ms - times[at]!)
    }
    const [asked] = await pauses(7000)
    expect(asked).toBeGreaterThanOrEqual(7000)
    expect(asked).toBeLessThanOrEqual(14_000)
    expect((await pauses(undefined))[0]).toBeLessThan(1000)
    // The pause of the broker grows to at most half a minute.
    const [first, second, third, day] = await pauses(0.5, undefined, 1, 86_400_000)
    expect(first).toBeGreaterThanOrEqual(100)
    expect(second).toBeGreaterThanOrEqual(200)
    expect(third).toBeGreaterThanOrEqual(400)
    expect(day).toBeGreaterThanOrEqual(30_000)
    expect(day).toBeLessThanOrEqual(redeliveryBoundMs)
  })

  it('has the reason of a retry only if the layer declares it', async () => {
    const reported = async (declares: Partial<Implementation>) => {
      const answers = ['no luck', 'held', 5].map((reason) => ({ ...retry, reason, afterMs: 1 }) as never)
      const played = await play({ ...layer(() => answers.shift() ?? done), ...declares })
      return played.of('answered').flatMap(({ outcome }) => (outcome.status === 'retry' ? [outcome] : []))
    }
    const plain = { ...retry, afterMs: 1 }
    expect(await reported({})).toEqual([plain, plain, plain])
    const failed = { reason: 'failed', attempts: 3, retry: 'no luck' }
    expect(await reported({ deadLetterReasons: { failed } })).toEqual([{ ...plain, reason: 'no luck' }, plain, plain])
  })

  it.each([-1, Number.NaN, Number.POSITIVE_INFINITY, '5', null])(
    'has an invalid outcome if it is retry after %j',
    async (afterMs) => {
      const played = play(layer(() => ({ ...retry, afterMs }) as never))
      await expect(played).rejects.toThrow(/handle answered retry with afterMs .*not a number of milliseconds/)
    },
  )

  it('comes again after growing pauses within the bound', async () => {
    let calls = 0
    const failing = layer(() => {
      if (calls++ % 2 === 0) return retry
      throw new Error('not now')
    })
    const played = await play(failing, { redeliveryMs: 100, maxAttempts: 12 })
    const times = deliveredMs(played)
    const pauses = times.slice(1).map((ms, at) => ms - times[at]!)
    for (const [at, pause] of pauses.entries()) {
      const leastMs = Math.min(100 * 2 ** at, redeliveryBoundMs / 2)
      expect(pause).toBeGreaterThanOrEqual(leastMs)
      // Twice as long with jitter, and the way there and back.
      expect(pause).toBeLessThan(2 * leastMs + 50)
    }
    expect(pauses.at(-1)).toBeGreaterThanOrEqual(30_000)
    expect(played.of('threw')[0]).toMatchObject({ error: 'Error: not now' })
    expect(played.of('settled')).toMatchObject([{ as: 'given-up' }])
  })
})

describe('a consumer that has ended', () => {
  const crash = (healAfterMs: number) =>
    ({ kind: 'crash', when: { at: 'delivery-received', consumer: 0, nth: 1 }, healAfterMs }) as const

  it('loses its messages at once or at their time-out, by choice of the broker', async () => {
    const again = new Set<number>()
    for (let seed = 1; seed <= 8; seed++) {
      const played = await play(
        layer(() => done),
        { seed, visibilityMs: 5000, faults: [crash(1)] },
      )
      again.add(Math.round(deliveredMs(played)[1]! / 1000))
      expect(played.of('delivery-timed-out')).toHaveLength(deliveredMs(played)[1]! > 4000 ? 1 : 0)
    }
    expect([...again].sort()).toEqual([0, 5])
  })

  it('loses no message that another consumer got meanwhile', async () => {
    for (let seed = 1; seed <= 8; seed++) {
      const rebalance = { kind: 'redelivery', when: { at: 'time', ms: 100 }, message: 0 } as const
      const dies = { kind: 'crash', when: { at: 'time', ms: 200 }, healAfterMs: 5000 } as const
      const options = { seed, consumers: 2, visibilityMs: 30_000 }
      const first = (
        await play(
          layer(() => sleep(1000).then(() => done)),
          options,
        )
      ).of('delivered')[0]!.process
      const played = await play(
        layer(() => sleep(1000).then(() => done)),
        {
          ...options,
          faults: [rebalance, { ...dies, consumer: first === 'consumer-1' ? 0 : 1 }],
        },
      )
      expect(played.of('process-ended')).toMatchObject([{ process: first }])
      expect(played.of('delivered')).toHaveLength(2)
      expect(played.of('settled')).toMatchObject([{ as: 'done' }])
    }
  })
})

describe('a change of a message by its handler', () => {
  it('does not affect the next delivery', async () => {
    const seen: Message[] = []
    const vandal = layer((message) => {
      seen.push(structuredClone(message))
      Object.assign(message, { key: 'other' })
      Object.assign(message.payload as object, { order: 2 })
      return seen.length === 1 ? retry : done
    })
    await play(vandal)
    expect(seen[1]).toEqual(seen[0])
    expect(seen[0]).toMatchObject({ id: 'message-1', key: 'order-1', payload: { order: 1 } })
  })
})

describe('messages of one key', () => {
  it('have the produced-at time of the key, whenever they are published', async () => {
    const producedAts: number[] = []
    const message = { key: 'order-1', payload: 1 }
    const noting = layer(({ producedAt }) => {
      producedAts.push(producedAt)
      return done
    })
    await play(noting, {
      messages: [
        { ...message, publishAtMs: 300 },
        { ...message, publishAtMs: 100 },
        { ...message, key: 'order-2', publishAtMs: 200 },
      ],
    })
    expect(producedAts.map((ms) => ms % 1000)).toEqual([100, 200, 100])
  })
})
