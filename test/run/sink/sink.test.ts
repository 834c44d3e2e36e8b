import { describe, expect, it } from 'vitest'
import { whyOf } from '../../../src/campaign/causes/why/why.ts'
import { judge } from '../../../src/check/index.ts'
import type { ResultStyle } from '../../../src/contract/api/plan.ts'
import type { EffectResult, Receipt, Sink, SinkKind } from '../../../src/contract/api/sink.ts'
import type { Violation } from '../../../src/contract/api/verdict.ts'
import { sentenceOf } from '../../../src/report/event-sentence.ts'
import { MemoryLedger } from '../../../src/run/sink/memory-ledger.ts'
import { done, errorOf, layer, nowMs, type Play, type Played, play, sleep } from '../../sim/world-lab.ts'

/** What a layer observes that does these things with a sink of that kind. */
async function onSink(kind: SinkKind, work: (sink: Sink) => Promise<unknown[]>, options: Play = {}) {
  let seen: unknown[] = []
  const played = await play(
    layer(async (_, __, { sink }) => {
      seen = await work(sink)
      return done
    }),
    { sink: kind, ...options },
  )
  return { seen, played }
}

const request = { key: 'k', payload: { cents: 5 } }
const effectIdOf = (given: EffectResult) => (given as Receipt).effectId
const first = { effectId: 'effect-1', key: 'k', payload: { cents: 5 } }

describe('a plain sink', () => {
  it('applies every request, and cannot be queried', async () => {
    const { seen, played } = await onSink('plain', async (sink) => [
      await sink.perform(request),
      await sink.perform({ ...request, fence: 1 }),
      Object.keys(sink).sort(),
    ])
    expect(seen).toEqual([first, { ...first, effectId: 'effect-2' }, ['kind', 'perform']])
    expect(played.of('effect-applied')).toHaveLength(2)
  })
})

describe('a keyed sink', () => {
  it('applies one request for a key, and answers the others with its receipt', async () => {
    const { seen, played } = await onSink('keyed', async (sink) => [
      await sink.lookup!('k'),
      await sink.perform(request),
      await sink.perform({ ...request, payload: 'another' }),
      await sink.lookup!('k'),
      effectIdOf(await sink.perform({ ...request, key: 'l' })),
      sink.raise,
    ])
    const applied = { status: 'applied', receipt: first }
    expect(seen).toEqual([{ status: 'absent' }, first, first, applied, 'effect-2', undefined])
    expect(played.of('effect-applied')).toHaveLength(2)
    expect(played.of('effect-deduplicated')).toMatchObject([{ requestId: 2, key: 'k', effectId: 'effect-1' }])
  })
})

describe('a key that a keyed sink has forgotten', () => {
  const repeatsIn = ({ history }: Played): readonly Violation[] => {
    const [judged] = judge(history, ['at-most-once'])
    return judged?.verdict.verdict === 'violated' ? judged.verdict.violations : []
  }

  it('is recorded with its next decision, even after queries', async () => {
    const { played } = await onSink(
      'keyed',
      async (sink) => {
        await sink.perform(request)
        await sleep(2000)
        await sink.lookup!('k')
        await sink.perform({ ...request, key: 'l' })
        return [await sink.perform(request), await sink.perform(request)]
      },
      { sinkRemembersMs: 1000 },
    )
    const forgotten = played.of('effect-applied').map(({ key, forgottenAfterMs }) => `${key} ${forgottenAfterMs}`)
    expect(forgotten).toEqual(['k undefined', 'l undefined', 'k 1000'])
    const [, , again] = played.of('effect-applied')
    expect(sentenceOf(again!, played.history)).toBe(
      'the sink applies effect-3 for k, which it remembered for 1 s, sent by consumer-1',
    )
    const [violation] = repeatsIn(played)
    expect(violation).toMatchObject({ sinkForgot: true })
    expect(whyOf(played, violation!).why).toMatch(/; the sink remembered the key for 1 s$/)
  })

  it('is not recorded by a sink that never remembered it', async () => {
    const { played } = await onSink(
      'plain',
      async (sink) => {
        await sink.perform(request)
        await sleep(2000)
        return [await sink.perform(request)]
      },
      { sinkRemembersMs: 1000 },
    )
    expect(played.of('effect-applied').map(({ forgottenAfterMs }) => forgottenAfterMs)).toEqual([undefined, undefined])
    expect(repeatsIn(played).map((one) => 'sinkForgot' in one)).toEqual([false])
  })

  it('is recorded with a refusal', () => {
    let now = 0
    const ledger = new MemoryLedger('keyed', { sinkRemembersMs: 1000, nowMs: () => now })
    expect(ledger.perform(request, true)).toEqual({ status: 'refused' })
    now = 1000
    expect(ledger.perform(request, true)).toEqual({ status: 'refused', forgottenAfterMs: 1000 })
    expect(ledger.perform(request, false)).toEqual({ status: 'refused' })
  })
})

describe('a fenced sink', () => {
  it('refuses exactly the fences below the highest', async () => {
    const { seen, played } = await onSink('fenced', async (sink) => [
      effectIdOf(await sink.perform({ ...request, fence: 3 })),
      await errorOf(sink.perform({ ...request, fence: 2 })),
      effectIdOf(await sink.perform({ ...request, fence: 3 })),
      effectIdOf(await sink.perform(request)),
    ])
    expect(seen).toEqual(['effect-1', 'fence 2 is below 3', 'effect-2', 'effect-3'])
    expect(played.of('effect-refused')).toMatchObject([{ requestId: 2, reason: 'fence' }])
    expect(played.of('effect-answered')[1]).toMatchObject({ answer: 'error', error: 'StaleFence: fence 2 is below 3' })
  })

  it('accepts a raise above all earlier ones, after which earlier requests are barred or known', async () => {
    const { seen } = await onSink('fenced', async (sink) => [
      await sink.raise!('k', 2),
      await errorOf(sink.perform({ ...request, fence: 1 })),
      effectIdOf(await sink.perform({ ...request, fence: 2 })),
      await sink.raise!('k', 2),
      await sink.raise!('k', 5),
      await sink.lookup!('k'),
    ])
    expect(seen).toEqual([
      { status: 'clear' },
      'fence 1 is below 2',
      'effect-1',
      { status: 'refused', highest: 2 },
      { status: 'applied', receipt: first },
      { status: 'applied', receipt: first },
    ])
  })
})

describe('a cancellable sink', () => {
  const named = (reference: string) => ({ ...request, reference })

  it('cancels the effects of a reference once, and refuses the reference from then on', async () => {
    const { seen, played } = await onSink('cancellable', async (sink) => [
      effectIdOf(await sink.perform(named('a'))),
      effectIdOf(await sink.perform(named('a'))),
      effectIdOf(await sink.perform(named('b'))),
      await sink.cancel!('k', 'a'),
      await sink.cancel!('k', 'a'),
      await errorOf(sink.perform(named('a'))),
      effectIdOf(await sink.perform({ ...named('a'), key: 'l' })),
      effectIdOf(await sink.perform(request)),
      Object.keys(sink).sort(),
    ])
    expect(seen).toEqual([
      ...['effect-1', 'effect-2', 'effect-3', { status: 'cancelled' }, { status: 'nothing' }],
      'this request was cancelled before it came',
      ...['effect-4', 'effect-5', ['cancel', 'kind', 'perform']],
    ])
    const [first, again] = played.of('effect-cancelled')
    expect(first).toMatchObject({ process: 'consumer-1', key: 'k', reference: 'a', effects: ['effect-1', 'effect-2'] })
    expect(again).toMatchObject({ reference: 'a', effects: [] })
    expect(played.of('effect-refused')).toMatchObject([{ requestId: 4, reason: 'cancelled' }])
    expect(played.of('effect-answered')[3]).toMatchObject({ answer: 'refused' })
  })

  it('refuses a request after its cancellation', async () => {
    const { seen, played } = await onSink('cancellable', async (sink) => [
      await sink.cancel!('k', 'a'),
      await errorOf(sink.perform(named('a'))),
    ])
    expect(seen).toEqual([{ status: 'nothing' }, 'this request was cancelled before it came'])
    expect(played.of('effect-applied')).toEqual([])
  })

  it.each([
    ['effect-fails-before', 'effect-unapplied', 'fail', '502 from the sink', ['effect-1']],
    ['effect-fails-before', 'effect-unapplied', 'refuse', '502 from the sink', ['effect-1']],
    ['effect-fails-before', 'effect-unapplied', 'drop', 'no answer from the sink within 2000 ms', ['effect-1']],
    ['effect-fails-after', 'effect-applied', 'fail', '502 from the sink, after the work was done', []],
    ['effect-fails-after', 'effect-applied', 'drop', 'no answer from the sink within 2000 ms', []],
  ] as const)('can be struck by %s at a cancellation, too (%s, %s): %s', async (kind, at, how, reported, standing) => {
    const { seen, played } = await onSink(
      'cancellable',
      async (sink) => [effectIdOf(await sink.perform(named('a'))), await errorOf(sink.cancel!('k', 'a'))],
      { effectTimeoutMs: 2000, faults: [{ kind, how, when: { at, consumer: 0, nth: 2 } }] },
    )
    expect(seen).toEqual(['effect-1', reported])
    const taken = played.of('effect-cancelled').flatMap(({ effects }) => effects)
    expect(['effect-1'].filter((id) => !taken.includes(id))).toEqual(standing)
    expect(played.of('fault-struck')).toMatchObject([{ sentence: expect.stringContaining('the cancellation of') }])
  })
})

describe('a receipt', () => {
  it('is a copy that its caller cannot change for the sink', async () => {
    const { seen } = await onSink('keyed', async (sink) => {
      const receipt = (await sink.perform(request)) as Receipt
      Object.assign(receipt, { effectId: 'forged' })
      Object.assign(receipt.payload as object, { cents: 0 })
      return [await sink.perform(request), await sink.lookup!('k')]
    })
    expect(seen).toEqual([first, { status: 'applied', receipt: first }])
  })

  it('has the payload at the time of sending', async () => {
    const { seen } = await onSink('plain', async (sink) => {
      const payload = { cents: 5 }
      const performed = sink.perform({ key: 'k', payload })
      payload.cents = 6
      return [await performed]
    })
    expect(seen).toEqual([first])
  })
})

describe('the ledger', () => {
  it('keeps the first receipt and the highest fence of each key', () => {
    const sink = new MemoryLedger('fenced', { nowMs: () => 0 })
    expect(sink.lookup('k')).toEqual({ status: 'absent' })
    const receipt: Receipt = { effectId: 'effect-1', key: 'k', payload: 1 }
    expect(sink.perform({ key: 'k', payload: 1 }, false)).toEqual({ status: 'applied', receipt })
    expect(sink.perform({ key: 'k', payload: 2 }, false)).toMatchObject({ receipt: { effectId: 'effect-2' } })
    expect(sink.raise('k', 4)).toEqual({ status: 'applied', receipt })
    expect(sink.raise('k', 3)).toEqual({ status: 'refused', highest: 4 })
    expect(sink.raise('l', 1)).toEqual({ status: 'clear' })
    expect(sink.perform({ key: 'l', payload: 3 }, false)).toMatchObject({ receipt: { effectId: 'effect-3' } })
  })

  it('differs by kind of sink', () => {
    const statuses = (kind: SinkKind) => {
      const sink = new MemoryLedger(kind, { nowMs: () => 0 })
      return [sink.perform({ ...request, fence: 2 }, false), sink.perform({ ...request, fence: 1 }, false)].map(
        ({ status }) => status,
      )
    }
    expect(statuses('plain')).toEqual(['applied', 'applied'])
    expect(statuses('keyed')).toEqual(['applied', 'deduplicated'])
    expect(statuses('fenced')).toEqual(['applied', 'stale-fence'])
  })
})

describe('a permanent refusal', () => {
  const statuses = (kind: SinkKind, refuses: boolean[], sinkRemembersMs?: number) => {
    let nowMs = 0
    const forgets = sinkRemembersMs === undefined ? {} : { sinkRemembersMs }
    const sink = new MemoryLedger(kind, { nowMs: () => (nowMs += 10), ...forgets })
    return refuses.map((one) => sink.perform(request, one).status)
  }

  it('is remembered by a keyed sink with its key, like a receipt', () => {
    expect(statuses('keyed', [true, false, false])).toEqual(['refused', 'refused', 'refused'])
    expect(statuses('keyed', [true, false, false], 15)).toEqual(['refused', 'refused', 'applied'])
    expect(statuses('keyed', [false, true])).toEqual(['applied', 'deduplicated'])
  })

  it('concerns one request if the sink does not remember keys', () => {
    expect(statuses('plain', [true, false, true])).toEqual(['refused', 'applied', 'refused'])
    expect(statuses('fenced', [true, false, true])).toEqual(['refused', 'applied', 'refused'])
  })
})

describe('a keyed sink that forgets', () => {
  const remembering = (sinkRemembersMs?: number) =>
    onSink(
      'keyed',
      async (sink) => {
        await sink.perform(request)
        await sleep(400)
        const before = await sink.lookup!('k')
        await sleep(200)
        return [before, await sink.lookup!('k'), effectIdOf(await sink.perform(request))]
      },
      sinkRemembersMs === undefined ? {} : { sinkRemembersMs },
    )

  it('applies a forgotten request again, and not earlier; by default it never forgets', async () => {
    const applied = { status: 'applied', receipt: first }
    expect((await remembering(500)).seen).toEqual([applied, { status: 'absent' }, 'effect-2'])
    expect((await remembering()).seen).toEqual([applied, applied, 'effect-1'])
  })

  it('is the only kind that forgets', () => {
    let nowMs = 0
    const sink = new MemoryLedger('fenced', { nowMs: () => nowMs, sinkRemembersMs: 10 })
    sink.perform({ ...request, fence: 5 }, false)
    nowMs = 1000
    expect(sink.lookup('k')).toEqual({ status: 'applied', receipt: first })
    expect(sink.raise('k', 4)).toEqual({ status: 'refused', highest: 5 })
  })
})

describe('the result of the sink', () => {
  const given = async (results: ResultStyle) => {
    const { seen, played } = await onSink(
      'keyed',
      async (sink) => {
        const performed = await sink.perform(request)
        const found = await sink.lookup!('k')
        return [performed, found.status === 'applied' ? found.receipt : 'absent']
      },
      { results },
    )
    return { seen, gives: played.of('effect-applied')[0]!.gives }
  }

  it.each([
    ['null', null],
    ['false', false],
    ['zero', 0],
    ['empty-text', ''],
    ['empty', {}],
  ] as const)('is %s instead of the receipt, and the history has both', async (style, value) => {
    expect(await given(style)).toEqual({ seen: [value, value], gives: { value } })
  })

  it('may be nothing, contain the receipt, or be large', async () => {
    expect(await given('nothing')).toEqual({ seen: [undefined, undefined], gives: {} })
    expect((await given('nested')).seen[0]).toMatchObject({ receipt: first, lines: [[], [{ tax: 0, note: null }]] })
    expect(JSON.stringify((await given('large')).seen[0]).length).toBeGreaterThan(10_000)
  })
})

describe('work around the effect', () => {
  it('runs in the process before the request is sent and after the answer, outside the time-out', async () => {
    const work = { beforeMs: 700, afterMs: 900 }
    const { seen, played } = await onSink(
      'plain',
      async (sink) => {
        await sink.perform(request)
        return [Math.round(nowMs() / 100)]
      },
      { work, effectTimeoutMs: 100, effectMs: 10 },
    )
    expect(seen).toEqual([16])
    expect(played.of('effect-sent').map(({ atUs }) => Math.round(atUs / 100_000))).toEqual([7])
    expect(played.of('effect-answered')).toMatchObject([{ answer: 'receipt' }])
  })

  it('pauses with its process, and ends with it', async () => {
    const during = (kind: string) => {
      const when = { at: 'time' as const, ms: 300 }
      const faults = [{ kind, when, consumer: 0, healAfterMs: 1000 }]
      return onSink('plain', async (sink) => [await sink.perform(request)], {
        work: { beforeMs: 700, afterMs: 0 },
        faults,
      })
    }
    const sentMs = async (kind: string) =>
      (await during(kind)).played.of('effect-sent').map(({ process, atUs }) => [process, Math.round(atUs / 100_000)])
    expect(await sentMs('pause')).toEqual([['consumer-1', 13]])
    // Delivered again after the visibility time-out of 5 s, with the work from its start.
    expect(await sentMs('crash')).toEqual([['consumer-1.2', 57]])
  })
})
