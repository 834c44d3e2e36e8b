import { describe, expect, it } from 'vitest'
import { done, layer, nowMs, play, sleep, withAndWithout } from '../../sim/world-lab.ts'

/** Works for half a second and answers done. */
const slowly = () => layer(() => sleep(500).then(() => done))

/** One effect per delivery. */
const performing = () =>
  layer(async ({ key, payload }, _, { sink }) => ({ status: 'done', result: await sink.perform({ key, payload }) }))

const at100 = { at: 'time', ms: 100 } as const

describe('duplicate-delivery', () => {
  it('publishes a copy that is settled separately', async () => {
    const { struck, spared } = await withAndWithout(slowly, { kind: 'duplicate-delivery', when: at100, message: 3 })
    expect(struck.of('published').map(({ messageId, copy }) => [messageId, copy])).toEqual([
      ['message-1', false],
      ['message-1', true],
    ])
    expect(struck.of('delivered').map(({ attempt }) => attempt)).toEqual([1, 1])
    expect(struck.of('settled')).toHaveLength(2)
    expect(struck.of('fault-struck')[0]!.sentence).toBe('the broker publishes a copy of message-1 (key order-1)')
    expect(spared.of('published')).toHaveLength(1)
  })

  it('has no effect before a message is published', async () => {
    const messages = [{ key: 'order-1', payload: 1, publishAtMs: 200 }]
    const { of } = await play(slowly(), {
      messages,
      faults: [{ kind: 'duplicate-delivery', when: at100, message: 0 }],
    })
    expect(of('fault-struck')).toEqual([])
  })
})

describe('late-copy', () => {
  it('appears when the fault heals, and the run waits for it', async () => {
    const day = { kind: 'late-copy', when: at100, message: 0, healAfterMs: 86_400_000 } as const
    const { struck, spared } = await withAndWithout(slowly, day)
    expect(struck.of('published')).toMatchObject([{ copy: false }, { copy: true, atUs: 86_400_100_000 }])
    expect(struck.of('fault-healed')[0]!.sentence).toBe('a copy of message-1 (key order-1) arrives')
    expect(struck.of('settled')).toHaveLength(2)
    expect(spared.of('ended')[0]!.atUs).toBeLessThan(10_000_000)
  })
})

describe('redelivery', () => {
  const fault = { kind: 'redelivery', when: at100, message: 0 } as const

  it('delivers a pending message to another consumer, too, and only the second answer counts', async () => {
    const { struck, spared } = await withAndWithout(slowly, fault, { consumers: 2 })
    const [first, second] = struck.of('delivered')
    expect([first!.attempt, second!.attempt]).toEqual([1, 2])
    expect(first!.process).not.toBe(second!.process)
    expect(struck.of('answered')).toHaveLength(2)
    expect(struck.of('settled')).toHaveLength(1)
    expect(struck.of('settled')[0]!.atUs).toBeGreaterThan(struck.of('answered')[1]!.atUs)
    expect(spared.of('delivered')).toHaveLength(1)
  })

  it('has no effect without another consumer or a pending delivery', async () => {
    expect((await play(slowly(), { faults: [fault] })).of('fault-struck')).toEqual([])
    const late = { ...fault, when: { at: 'time', ms: 900 } } as const
    expect((await play(slowly(), { consumers: 2, faults: [late] })).of('fault-struck')).toEqual([])
  })
})

describe('commit-past', () => {
  const fault = { kind: 'commit-past', when: at100, message: 0, healAfterMs: 2000 } as const

  it('settles a message in work, and publishes it again under a new id', async () => {
    const { struck, spared } = await withAndWithout(slowly, fault)
    expect(struck.of('settled')).toMatchObject([
      { messageId: 'message-1', as: 'passed-over' },
      { messageId: 'message-1-again', as: 'done' },
    ])
    expect(struck.of('published')).toMatchObject([
      { messageId: 'message-1', copy: false },
      { messageId: 'message-1-again', key: 'order-1', copy: false, atUs: 2_100_000 },
    ])
    expect(spared.of('settled')).toMatchObject([{ messageId: 'message-1', as: 'done' }])
  })

  it('delivers it no more, whatever the handler answers', async () => {
    const refusing = () => layer(() => sleep(500).then(() => ({ status: 'retry' }) as const))
    const { of } = await play(refusing(), { faults: [{ ...fault, healAfterMs: 60_000 }], maxAttempts: 2 })
    expect(of('delivered').map(({ messageId }) => messageId)).toEqual([
      'message-1',
      'message-1-again',
      'message-1-again',
    ])
  })

  it('keeps the produced-at time of its key', async () => {
    const producedAts: number[] = []
    const noting = () =>
      layer(async ({ producedAt }) => {
        producedAts.push(producedAt)
        await sleep(500)
        return done
      })
    await play(noting(), { faults: [fault] })
    expect(producedAts).toHaveLength(2)
    expect(producedAts[0]).toBe(producedAts[1])
  })

  it('records the wrong produced-at time of the repeated message, like that of the first', async () => {
    const messages = [{ key: 'order-1', payload: 1, publishAtMs: 0, stampOffMs: -700 }]
    const { of } = await play(slowly(), { messages, faults: [fault] })
    expect(of('published').map(({ messageId, producedAtOffMs }) => [messageId, producedAtOffMs])).toEqual([
      ['message-1', -700],
      ['message-1-again', -700],
    ])
    const right = await play(slowly(), { faults: [fault] })
    expect(right.of('published').map((published) => 'producedAtOffMs' in published)).toEqual([false, false])
  })

  it.each([
    ['a copy', { kind: 'duplicate-delivery', when: { at: 'time', ms: 50 }, message: 0 }],
    ['a late copy', { kind: 'late-copy', when: { at: 'time', ms: 10 }, message: 0, healAfterMs: 40 }],
  ] as const)('does not record it again for %s', async (_what, copied) => {
    const messages = [{ key: 'order-1', payload: 1, publishAtMs: 0, stampOffMs: -1 }]
    const { of } = await play(slowly(), { messages, faults: [copied, { ...fault, message: 1 }] })
    expect(of('published').map(({ messageId, copy, producedAtOffMs }) => [messageId, copy, producedAtOffMs])).toEqual([
      ['message-1', false, -1],
      ['message-1', true, undefined],
      ['message-1-again', false, -1],
    ])
  })

  it('has no effect without a pending delivery', async () => {
    const late = { ...fault, when: { at: 'time', ms: 900 } } as const
    expect((await play(slowly(), { faults: [late] })).of('fault-struck')).toEqual([])
  })
})

describe('out-of-order', () => {
  const messages = [1, 2, 3].map((n) => ({ key: `order-${n}`, payload: n, publishAtMs: 100 * n }))
  const fault = { kind: 'out-of-order', when: { at: 'time', ms: 50 }, healAfterMs: 1000 } as const

  it('holds messages back, and delivers the newest first', async () => {
    const { struck, spared } = await withAndWithout(slowly, fault, { messages })
    expect(struck.of('delivered').map(({ key }) => key)).toEqual(['order-3', 'order-2', 'order-1'])
    expect(struck.of('delivered')[0]!.atUs).toBe(1_050_000)
    expect(spared.of('delivered').map(({ key }) => key)).toEqual(['order-1', 'order-2', 'order-3'])
  })

  it('strikes only once if it overlaps', async () => {
    const inner = { ...fault, when: { at: 'time', ms: 150 }, healAfterMs: 10 } as const
    const { of } = await play(slowly(), { messages, faults: [fault, inner] })
    expect(of('fault-struck')).toHaveLength(1)
    expect(of('delivered')[0]!.atUs).toBe(1_050_000)
  })
})

describe('lost-acknowledgement', () => {
  it('makes the broker wait until the delivery times out', async () => {
    const fault = { kind: 'lost-acknowledgement', when: { at: 'answered', consumer: 0, nth: 1 } } as const
    const { struck, spared } = await withAndWithout(slowly, fault)
    expect(struck.of('acknowledgement-lost')).toMatchObject([{ deliveryId: 1 }])
    expect(struck.of('delivery-timed-out')).toMatchObject([{ deliveryId: 1, atUs: 5_000_000 }])
    expect(struck.of('answered')).toHaveLength(2)
    expect(spared.of('delivery-timed-out')).toEqual([])
  })
})

describe('slow-effect', () => {
  const fault = { kind: 'slow-effect', when: { at: 'effect-unapplied', consumer: 0, nth: 1 }, extraMs: 3000 } as const
  const tookMs = ({ of }: Awaited<ReturnType<typeof play>>) => {
    const applied = of('effect-applied').find(({ requestId }) => requestId === 1)!
    return Math.floor((applied.atUs - of('effect-sent')[0]!.atUs) / 1000)
  }

  it('applies it after the wait of its caller', async () => {
    const { struck, spared } = await withAndWithout(performing, fault)
    expect(tookMs(struck)).toBeGreaterThan(3000)
    expect(struck.of('effect-answered')[0]).toMatchObject({ answer: 'error' })
    expect(struck.of('fault-struck')[0]!.sentence).toBe('the sink takes 3 s longer for the effect of consumer-1')
    expect(tookMs(spared)).toBeLessThan(20)
    expect(spared.of('effect-answered')[0]).toMatchObject({ answer: 'receipt' })
  })

  it('takes longer by a limit of the layer if it was drawn near one', async () => {
    const near = { ...fault, near: { limit: 0, byMs: 7 } }
    const { struck } = await withAndWithout(performing, near, { leaseMs: 1234 })
    expect(struck.of('fault-struck')[0]!.sentence).toBe('the sink takes 1.241 s longer for the effect of consumer-1')
    expect(tookMs(struck)).toBeGreaterThanOrEqual(1251)
  })
})

describe('effect-fails-before', () => {
  const fault = { kind: 'effect-fails-before', when: { at: 'effect-unapplied', consumer: 0, nth: 1 } } as const

  it.each([
    ['refuse', 'SinkRefusal: the sink refuses this request for good', 'refused'],
    ['fail', 'SinkUnavailable: 502 from the sink', 'error'],
    ['drop', 'SinkTimeout: no answer from the sink within 500 ms', 'error'],
  ])('%s: applies nothing', async (how, error, answer) => {
    const { struck, spared } = await withAndWithout(performing, { ...fault, how }, { maxAttempts: 1 })
    expect(struck.of('effect-applied')).toEqual([])
    expect(struck.of('effect-answered')).toMatchObject([{ answer, error }])
    expect(struck.of('threw')).toMatchObject([{ error }])
    expect(struck.of('effect-refused')).toHaveLength(how === 'refuse' ? 1 : 0)
    expect(spared.of('effect-applied')).toHaveLength(1)
  })

  const unsent = { ...fault, when: { ...fault.when, at: 'effect-unsent' } } as const

  it.each(['refuse', 'fail'])(
    'has no effect before the request is sent, because there is no answer: %s',
    async (how) => {
      const { of } = await play(performing(), { faults: [{ ...unsent, how }] })
      expect(of('fault-struck')).toEqual([])
      expect(of('effect-applied')).toHaveLength(1)
      expect(of('effect-answered')).toMatchObject([{ answer: 'receipt' }])
    },
  )

  it('loses a request that is about to be sent, and records it', async () => {
    const { of } = await play(performing(), { faults: [{ ...unsent, how: 'drop' }], maxAttempts: 1 })
    const sentence = 'the request is lost on its way to the sink, with the effect of consumer-1'
    expect(of('fault-struck')).toMatchObject([{ sentence }])
    expect(of('effect-applied')).toEqual([])
    expect(of('effect-answered')).toMatchObject([{ answer: 'error' }])
  })

  it.each(['delivery-received', 'effect-applied', 'effect-answered', 'answered'] as const)(
    'has no effect at another boundary: %s',
    async (at) => {
      const elsewhere = { ...fault, when: { ...fault.when, at }, how: 'refuse' }
      const { of } = await play(performing(), { faults: [elsewhere] })
      expect(of('fault-struck')).toEqual([])
      expect(of('settled')).toMatchObject([{ as: 'done' }])
    },
  )
})

describe('effect-fails-after', () => {
  const fault = { kind: 'effect-fails-after', when: { at: 'effect-applied', consumer: 0, nth: 1 } } as const

  it.each([
    ['fail', 'SinkUnavailable: 502 from the sink, after the work was done'],
    ['drop', 'SinkTimeout: no answer from the sink within 500 ms'],
  ])('%s: applies the effect, and leaves its caller in doubt', async (how, error) => {
    const { struck, spared } = await withAndWithout(performing, { ...fault, how }, { maxAttempts: 1 })
    expect(struck.of('effect-applied')).toHaveLength(1)
    expect(struck.of('effect-answered')).toMatchObject([{ answer: 'error', error }])
    expect(spared.of('effect-answered')).toMatchObject([{ answer: 'receipt' }])
  })

  it('has no effect before the effect is applied', async () => {
    const before = { ...fault, when: { ...fault.when, at: 'effect-unapplied' }, how: 'fail' } as const
    const { of } = await play(performing(), { faults: [before] })
    expect(of('fault-struck')).toEqual([])
    expect(of('effect-answered')).toMatchObject([{ answer: 'receipt' }])
  })
})

describe('a duration near a limit of the layer', () => {
  it('is the lease, or a limit that the layer has set by then', async () => {
    const adapter = () =>
      layer(async (_, redis) => {
        await redis.set('k', 'v', 'PX', 777)
        await redis.getex('k', 'EX', 2)
        await sleep(3000 - nowMs())
        return done
      })
    const pause = (limit: number) =>
      ({
        kind: 'pause',
        when: { at: 'time', ms: 2500 },
        consumer: 0,
        healAfterMs: 1,
        near: { limit, byMs: -2 },
      }) as const
    const lengths = new Set<string>()
    for (let limit = 0; limit < 8; limit++) {
      const { of } = await play(adapter(), { faults: [pause(limit)] })
      lengths.add(/for ([\d.]+ m?s)/.exec(of('fault-struck')[0]!.sentence)![1]!)
    }
    expect([...lengths]).toEqual(expect.arrayContaining(['998 ms', '775 ms', '1.998 s']))
    expect(lengths).not.toContain('1 ms')
  })
})
