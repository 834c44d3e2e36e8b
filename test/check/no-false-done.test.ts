import { describe, expect, test } from 'vitest'
import { noFalseDone } from '../../src/check/no-false-done.ts'
import { aRun } from './history-builder.ts'
import { kinds } from './kinds.ts'

const kindsOf = (history: Parameters<typeof noFalseDone.judge>[0]) => kinds(noFalseDone.judge(history))
const sent = () => aRun().publish('m1').deliver(1, 'm1', 'consumer-1').send(1, 1)

describe('no-false-done', () => {
  test('done with an effect is valid, even if the effect comes last', () => {
    expect(kindsOf(sent().apply(1).done(1).rest())).toBe('valid')
    expect(kindsOf(sent().done(1).at(90).apply(1).rest())).toBe('valid')
  })

  test('done-without-effect: no effect was applied by the end', () => {
    expect(kindsOf(sent().done(1).rest())).toEqual(['done-without-effect'])
  })

  test('done-then-lost: the database lost the commit of the effect, and no other followed', () => {
    const lost = (...effects: string[]) => sent().done(1).loseData('failover', ['records k1'], effects)
    expect(kindsOf(lost('k1').rest())).toEqual(['done-then-lost'])
    expect(kindsOf(lost('k1').apply(1).rest())).toBe('valid')
    expect(kindsOf(lost('k2').rest())).toEqual(['done-without-effect'])
    expect(kindsOf(sent().loseData('failover', ['records k1'], ['k1']).done(1).rest())).toEqual(['done-without-effect'])
  })

  test('done-then-cancelled: every effect was cancelled by the end, before or after the answer', () => {
    expect(kindsOf(sent().apply(1).done(1).cancel('consumer-2', 1).rest())).toEqual(['done-then-cancelled'])
    expect(kindsOf(sent().apply(1).cancel('consumer-2', 1).done(1).rest())).toEqual(['done-then-cancelled'])
    const again = sent().apply(1).done(1).cancel('consumer-2', 1).deliver(2, 'm1', 'consumer-2', 2).send(2, 2)
    expect(kindsOf(again.apply(2).rest())).toBe('valid')
  })

  test('a refusal is not false because of a cancelled effect', () => {
    const applied = (sink: 'plain' | 'cancellable') =>
      aRun({ sink })
        .publish('m1')
        .deliver(1, 'm1', 'consumer-1')
        .send(1, 1)
        .refuse(1)
        .send(2, 1)
        .answer(1, { status: 'refused', error: 'no' })
        .apply(2)
    expect(kindsOf(applied('cancellable').rest())).toEqual(['refused-then-applied'])
    expect(kindsOf(applied('cancellable').cancel('consumer-1', 2).rest())).toBe('valid')
    expect(kindsOf(applied('cancellable').breakOff())).toBe('unknown')
    expect(kindsOf(applied('plain').breakOff())).toEqual(['refused-then-applied'])
  })

  test('a request that was cancelled before its arrival is refused, but not the key', () => {
    const history = sent().refuse(1, 'cancelled').answer(1, { status: 'refused', error: 'no' })
    expect(kindsOf(history.rest())).toEqual(['refused-without-refusal'])
  })

  test('the effect of another key does not count', () => {
    const history = sent().apply(1).publish('m2', { key: 'k2' }).deliver(2, 'm2', 'consumer-1').done(2)
    expect(kindsOf(history.rest())).toEqual(['done-without-effect'])
  })

  test('done without an effect in a broken-off run is unknown, because the effect may follow', () => {
    expect(kindsOf(sent().done(1).breakOff())).toBe('unknown')
  })

  test('refused after the refusal of the sink is valid, also for later deliveries', () => {
    const history = sent().refuse(1).answer(1, { status: 'refused', error: 'no' }).deliver(2, 'm1', 'consumer-2', 2)
    expect(kindsOf(history.answer(2, { status: 'refused', error: 'no' }).rest())).toBe('valid')
  })

  test('refused-without-refusal: the sink never refused, did so later, or only refused a stale fence', () => {
    const refused = { status: 'refused', error: 'no' } as const
    expect(kindsOf(sent().answer(1, refused).rest())).toEqual(['refused-without-refusal'])
    expect(kindsOf(sent().answer(1, refused).refuse(1).rest())).toEqual(['refused-without-refusal'])
    expect(kindsOf(sent().refuse(1, 'fence').answer(1, refused).breakOff())).toEqual(['refused-without-refusal'])
  })

  test('refused-then-applied: an effect of the same payload followed', () => {
    const refused = { status: 'refused', error: 'no' } as const
    const answered = () => sent().refuse(1).answer(1, refused).deliver(2, 'm1', 'consumer-2', 2)
    expect(kindsOf(answered().send(2, 2).apply(2).rest())).toEqual(['refused-then-applied'])
    expect(kindsOf(answered().send(2, 2).apply(2).breakOff())).toEqual(['refused-then-applied'])
    expect(kindsOf(answered().send(2, 2, { fingerprint: 'pay 2' }).apply(2).rest())).toBe('valid')
    expect(kindsOf(answered().send(2, 2).refuse(2).rest())).toBe('valid')
  })

  test('refused-though-applied: the layer’s own database already has rows of the same payload', () => {
    const answered = (effect: object, sink: 'plain' | 'transactional' = 'transactional') =>
      aRun({ sink })
        .publish('m1')
        .deliver(1, 'm1', 'consumer-1')
        .send(1, 1)
        .refuse(1)
        .deliver(2, 'm1', 'consumer-2', 2)
        .send(2, 2, effect)
        .apply(2)
        .answer(1, { status: 'refused', error: 'no' })
    expect(kindsOf(answered({}).rest())).toEqual(['refused-though-applied'])
    expect(kindsOf(answered({}).breakOff())).toEqual(['refused-though-applied'])
    expect(kindsOf(answered({ fingerprint: 'pay 2' }).rest())).toBe('valid')
    expect(kindsOf(answered({}, 'plain').rest())).toBe('valid')
  })
})
