import { describe, expect, it } from 'vitest'
import { judgeOwn } from '../../../src/check/judge-own.ts'
import { withoutKey } from '../../../src/check/own/without-key.ts'
import type { Implementation, KeylessPolicy } from '../../../src/contract/api/implementation.ts'
import { canonicalJson } from '../../../src/contract/api/json.ts'
import type { Message, Outcome } from '../../../src/contract/api/message.ts'
import { sentenceOf } from '../../../src/report/event-sentence.ts'
import { done, layer, play } from '../../sim/world-lab.ts'

const keyless = (payload: number) => ({ key: '', keyless: true as const, payload, publishAtMs: payload })
const messages = [keyless(1), keyless(2)]

const declared = (says: KeylessPolicy, adapter: Pick<Implementation, 'create'>) => ({ ...adapter, withoutKey: says })

async function kindsOf(says: KeylessPolicy | null, adapter: Pick<Implementation, 'create'>): Promise<string[]> {
  const layer = says === null ? adapter : declared(says, adapter)
  const { history } = await play(layer, { messages, maxAttempts: 3 })
  const verdict = judgeOwn(withoutKey, history)
  if (verdict.verdict === 'violated') return verdict.violations.map(({ kind }) => kind)
  return [verdict.verdict]
}

const answers = (outcome: Outcome) => layer(() => outcome)
const raises = layer(() => {
  throw new Error('no key')
})
const performs = layer(async ({ key, payload }, _, { sink }) => ({
  status: 'done',
  result: await sink.perform({ key, payload }),
}))
/** Treats the empty key as a key. */
const guardsTheEmptyKey = layer(async ({ key, payload }, redis, { sink }) => {
  if ((await redis.set(`done:${key}`, 'taken', 'NX')) === null) return done
  return { status: 'done', result: await sink.perform({ key, payload }) }
})

describe('a layer that refuses messages without a key', () => {
  it('throws or answers anything except done, and performs no effect', async () => {
    expect(await kindsOf('refuses', raises)).toEqual(['valid'])
    expect(await kindsOf('refuses', answers({ status: 'dead-letter', reason: 'no key' }))).toEqual(['valid'])
    expect(await kindsOf('refuses', answers({ status: 'refused', error: 'no key' }))).toEqual(['valid'])
  })

  it('breaks its promise if it performs them or answers done', async () => {
    expect(await kindsOf('refuses', performs)).toEqual(['performed-without-key', 'performed-without-key'])
    expect(await kindsOf('refuses', guardsTheEmptyKey)).toEqual(['performed-without-key', 'done-without-key'])
    expect(await kindsOf('refuses', answers(done))).toEqual(['done-without-key', 'done-without-key'])
  })
})

describe('a layer that performs messages without a key', () => {
  it('performs each, and answers done', async () => {
    expect(await kindsOf('performs', performs)).toEqual(['valid'])
  })

  it('may perform one twice, because a copy looks like another message', async () => {
    const twice = layer(async ({ key, payload }, _, { sink }) => {
      await sink.perform({ key, payload })
      return { status: 'done', result: await sink.perform({ key, payload }) }
    })
    expect(await kindsOf('performs', twice)).toEqual(['valid'])
  })

  it('breaks its promise if it treats two of them as copies because of the empty key', async () => {
    expect(await kindsOf('performs', guardsTheEmptyKey)).toEqual(['no-effect-without-key'])
  })

  it('breaks its promise if it refuses them or never answers done', async () => {
    expect(await kindsOf('performs', raises)).toEqual(['no-effect-without-key', 'no-effect-without-key'])
    const silent = layer(async ({ key, payload }, _, { sink }) => {
      await sink.perform({ key, payload })
      return { status: 'retry' }
    })
    expect(await kindsOf('performs', silent)).toEqual(['not-done-without-key', 'not-done-without-key'])
  })
})

describe('a layer that declares neither', () => {
  it('is not checked', async () => {
    expect(await kindsOf(null, guardsTheEmptyKey)).toEqual(['n/a'])
    expect(await kindsOf(null, raises)).toEqual(['n/a'])
  })
})

describe('a message without a key', () => {
  it('may be refused with an error in every delivery if the layer declares it; otherwise that is a mistake', async () => {
    await play(declared('refuses', raises), { messages, mustWork: true })
    await expect(play(declared('performs', raises), { messages, mustWork: true })).rejects.toThrow(
      'every delivery fails',
    )
  })

  it('appears in a story as no key and without a name', async () => {
    const { history } = await play(declared('performs', performs), { messages: messages.slice(0, 1) })
    const told = history.events.map((event) => sentenceOf(event, history))
    expect(told).toContain('consumer-1 calls the sink for no key')
    expect(told).toContain('the sink applies effect-1 for no key, sent by consumer-1')
  })

  it('is marked, with an empty key and its own produced-at time, while others are unchanged', async () => {
    const seen: Message[] = []
    const noting = layer((message) => {
      seen.push(message)
      return done
    })
    const { history } = await play(declared('performs', noting), {
      messages: [...messages, { key: 'order-1', payload: 3, publishAtMs: 3 }],
    })
    expect(seen.map(({ key, keyless }) => [key, keyless])).toEqual([
      ['', true],
      ['', true],
      ['order-1', undefined],
    ])
    expect(seen.map(({ producedAt }) => producedAt % 10)).toEqual([1, 2, 3])
    expect('keyless' in seen[2]!).toBe(false)
    expect(history.header.withoutKey).toBe('performs')
    const told = history.events.filter(({ type }) => type === 'published').map((event) => sentenceOf(event, history))
    expect(told).toEqual([
      'message-1 is published without a key',
      'message-2 is published without a key',
      'message-3 is published with the key order-1',
    ])
  })

  it('does not change histories of other plans if a layer declares it', async () => {
    const [said, silent] = [await play(declared('refuses', raises)), await play(raises)]
    expect(canonicalJson(said.history as never)).toBe(canonicalJson(silent.history as never))
  })
})
