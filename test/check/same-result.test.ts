import { describe, expect, test } from 'vitest'
import { sameResult } from '../../src/check/same-result.ts'
import type { Mechanism } from '../../src/contract/api/implementation.ts'
import type { JsonValue } from '../../src/contract/api/json.ts'
import { aRun } from './history-builder.ts'
import { kinds } from './kinds.ts'

const kindsOf = (history: Parameters<typeof sameResult.judge>[0]) => kinds(sameResult.judge(history))
const applied = () => aRun().publish('m1').deliver(1, 'm1', 'consumer-1').send(1, 1).apply(1)
const again = () => applied().done(1).deliver(2, 'm1', 'consumer-2', 2)

describe('same-result', () => {
  test('the receipt is valid in any order of its members', () => {
    expect(kindsOf(again().done(2, { key: 'k1', effectId: 'effect-1' }).rest())).toBe('valid')
  })

  test('different-result: a duplicate gets another answer, or none', () => {
    expect(kindsOf(again().done(2, { effectId: 'effect-9', key: 'k1' }).rest())).toEqual(['different-result'])
    expect(kindsOf(again().done(2, null).rest())).toEqual(['different-result'])
  })

  test('every answer must have the effect that was not cancelled on a cancellable sink', () => {
    const two = () =>
      aRun({ sink: 'cancellable' }).publish('m1').deliver(1, 'm1', 'consumer-1').send(1, 1).apply(1).send(2, 1).apply(2)
    const reported = (effectId: string) => two().done(1, { key: 'k1', effectId }).cancel('consumer-2', 1)
    expect(kindsOf(reported('effect-2').rest())).toBe('valid')
    expect(kindsOf(reported('effect-1').rest())).toEqual(['different-result'])
    expect(kindsOf(reported('effect-1').breakOff())).toBe('unknown')
  })

  test('a result that was not kept is not checked if the layer declares it, and otherwise is a different-result', () => {
    const unkept = (lacks: readonly Mechanism[]) =>
      aRun({ lacks })
        .publish('m1')
        .deliver(1, 'm1', 'consumer-1')
        .send(1, 1)
        .apply(1)
        .done(1)
        .deliver(2, 'm1', 'consumer-2', 2)
        .answer(2, { status: 'done', result: null, resultKept: false })
        .rest()
    const verdict = sameResult.judge(unkept(['stored-result']))
    expect(verdict).toMatchObject({ verdict: 'n/a', reason: expect.stringContaining("lacks: ['stored-result']") })
    expect(sameResult.judge(again().done(2, null).rest()).verdict).toBe('violated')
    expect(kindsOf(unkept(['lease']))).toEqual(['different-result'])
    expect(JSON.stringify(sameResult.judge(unkept([])))).toContain("does not declare lacks: ['stored-result']")
  })

  test('every answer must have the result of the sink, and null for none', () => {
    const gave = (gives: { value?: JsonValue }, reported: JsonValue) => {
      const history = aRun().publish('m1').deliver(1, 'm1', 'consumer-1').send(1, 1)
      const receipt = { effectId: 'effect-1', key: 'k1' }
      const about = { requestId: 1, process: 'consumer-1', key: 'k1', fingerprint: 'pay 1', receipt }
      return kindsOf(
        history
          .add({ type: 'effect-applied', ...about, gives })
          .done(1, reported)
          .rest(),
      )
    }
    const values = [null, false, 0, '', {}, [], { tax: 0 }]
    for (const value of values)
      for (const reported of values)
        expect(gave({ value }, reported)).toEqual(value === reported ? 'valid' : ['different-result'])
    expect(gave({}, null)).toBe('valid')
    expect(gave({}, false)).toEqual(['different-result'])
    expect(gave({}, { effectId: 'effect-1', key: 'k1' })).toEqual(['different-result'])
  })

  test('different-reply: a duplicate has the result, but another reply', () => {
    const reported = (first: JsonValue | undefined, second: JsonValue | undefined) => {
      const result = { effectId: 'effect-1', key: 'k1' }
      const answered = (reply: JsonValue | undefined) => ({
        ...({ status: 'done', result } as const),
        ...(reply === undefined ? {} : { reply }),
      })
      const history = applied().answer(1, answered(first)).deliver(2, 'm1', 'consumer-2', 2)
      return sameResult.judge(history.answer(2, answered(second)).rest())
    }
    const created = { status: 201, headers: { location: '/orders/1' } }
    expect(kinds(reported(created, { headers: { location: '/orders/1' }, status: 201 }))).toBe('valid')
    expect(kinds(reported(undefined, undefined))).toBe('valid')
    expect(kinds(reported(created, { ...created, status: 200 }))).toEqual(['different-reply'])
    expect(kinds(reported(created, undefined))).toEqual(['different-reply'])
    expect(JSON.stringify(reported(created, { status: 200 }))).toContain(
      'consumer-2 answered done for k1 at 0.0 ms with the reply',
    )
  })

  test('a very long result is shortened in the sentence', () => {
    const verdict = sameResult.judge(again().done(2, 'x'.repeat(10_000)).rest())
    expect(JSON.stringify(verdict).length).toBeLessThan(1000)
  })

  test('a key with two effects or none is judged elsewhere', () => {
    expect(kindsOf(again().send(2, 2).apply(2).done(2, null).rest())).toBe('valid')
    expect(kindsOf(aRun().publish('m1').deliver(1, 'm1', 'consumer-1').done(1, null).rest())).toBe('valid')
  })

  test('a difference counts in a broken-off run, which is otherwise unknown', () => {
    expect(kindsOf(again().done(2, null).breakOff())).toEqual(['different-result'])
    expect(kindsOf(again().breakOff())).toBe('unknown')
  })
})
