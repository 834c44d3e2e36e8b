import { describe, expect, test } from 'vitest'
import { boundedStall } from '../../src/check/bounded-stall.ts'
import type { RunHeader } from '../../src/contract/api/history.ts'
import type { SinkKind } from '../../src/contract/api/sink.ts'
import { aRun, type HistoryBuilder } from './history-builder.ts'
import { kinds } from './kinds.ts'

const kindsOf = (history: HistoryBuilder) => kinds(boundedStall.judge(history))

/**
 * The bound is 500 ms plus one redelivery of 50 ms. An answer at that time without faults is in
 * time, a later one is late.
 */
const retry = (history: HistoryBuilder, deliveryId: number, ms: number) =>
  history.at(ms).deliver(deliveryId, 'm1', 'consumer-2', deliveryId).answer(deliveryId, { status: 'retry' })

describe('bounded-stall', () => {
  test('retry answers within the bound are valid', () => {
    expect(kindsOf(retry(retry(aRun().publish('m1'), 1, 100), 2, 550).rest())).toBe('valid')
  })

  test('retry-goes-on: an answer after the bound is reported once per key', () => {
    const history = retry(retry(retry(aRun().publish('m1'), 1, 100), 2, 551), 3, 600)
    expect(kindsOf(history.rest())).toEqual(['retry-goes-on'])
  })

  test('a throwing handler defers a message, too', () => {
    const history = aRun().publish('m1').at(551).deliver(1, 'm1', 'consumer-1').throw(1)
    expect(kindsOf(history.rest())).toEqual(['retry-goes-on'])
  })

  test('the sentence has the bound', () => {
    const sentence = (changes: Partial<RunHeader>) =>
      JSON.stringify(boundedStall.judge(retry(aRun(changes).publish('m1'), 1, 551).rest()))
    expect(sentence({})).toContain(
      'the bound is 500 ms by default of the scenario, since the layer declares none, plus one redelivery of 50 ms',
    )
    expect(sentence({ recoveryBoundFrom: 'layer', recoveryCapMs: 300 })).toContain(
      'the bound is 500 ms as the layer declares (default: 300 ms), plus one redelivery of 50 ms',
    )
  })

  test('the bound of the layer applies, whether it is longer or shorter than that of the scenario', () => {
    const declared = (recoveryBoundMs: number, ms: number) =>
      kindsOf(retry(aRun({ recoveryBoundMs, recoveryBoundFrom: 'layer' }).publish('m1'), 1, ms).rest())
    expect(declared(300_000, 300_050)).toBe('valid')
    expect(declared(300_000, 300_051)).toEqual(['retry-goes-on'])
    expect(declared(100, 151)).toEqual(['retry-goes-on'])
  })

  test('the clock starts when the last fault has healed', () => {
    const healed = (ms: number) => retry(aRun().publish('m1').strike('partition').at(400).heal('partition'), 1, ms)
    expect(kindsOf(healed(950).rest())).toBe('valid')
    expect(kindsOf(healed(951).rest())).toEqual(['retry-goes-on'])
  })

  test('a running holder excuses everything, and the clock starts when it has finished', () => {
    const holder = () => aRun().publish('m1').deliver(1, 'm1', 'consumer-1')
    expect(kindsOf(retry(holder(), 2, 2000).at(2100).done(1).rest())).toBe('valid')
    expect(kindsOf(retry(holder().at(400).crash('consumer-1'), 2, 950).rest())).toBe('valid')
    expect(kindsOf(retry(holder().at(400).crash('consumer-1'), 2, 951).rest())).toEqual(['retry-goes-on'])
  })

  test('a delivery that ended in retry was not a holder', () => {
    const history = retry(
      aRun().publish('m1').deliver(1, 'm1', 'consumer-1').at(400).answer(1, { status: 'retry' }),
      2,
      551,
    )
    expect(kindsOf(history.rest())).toEqual(['retry-goes-on'])
  })

  test('a request in flight excuses everything', () => {
    const sent = () => aRun().publish('m1').deliver(1, 'm1', 'consumer-1').send(1, 1).crash('consumer-1')
    expect(kindsOf(retry(sent(), 2, 600).rest())).toEqual(['retry-goes-on'])
    expect(kindsOf(retry(sent(), 2, 600).at(700).apply(1).rest())).toBe('valid')
  })

  test('a statement without a commit is not a request in flight', () => {
    const asked = (sink: SinkKind) => aRun({ sink }).publish('m1').deliver(1, 'm1', 'consumer-1').send(1, 1)
    const rolledBack = (sink: SinkKind) => retry(asked(sink).at(10).answer(1, { status: 'retry' }), 2, 551)
    expect(kindsOf(rolledBack('transactional').rest())).toEqual(['retry-goes-on'])
    expect(kindsOf(rolledBack('plain').rest())).toBe('valid')
    // A statement in every delivery does not reset the clock.
    const again = aRun({ sink: 'transactional' }).publish('m1').at(551).deliver(1, 'm1', 'consumer-1').send(1, 1)
    expect(kindsOf(again.at(560).throw(1).rest())).toEqual(['retry-goes-on'])
    // Its delivery is still running.
    expect(kindsOf(retry(asked('transactional'), 2, 551).at(700).done(1).rest())).toBe('valid')
  })

  test('a committed statement ends when the caller has its answer, or continues without it', () => {
    const committed = () =>
      aRun({ sink: 'transactional' }).publish('m1').deliver(1, 'm1', 'consumer-1').send(1, 1).at(200).apply(1)
    const unheard = (ms: number) => retry(committed().at(400).answer(1, { status: 'retry' }), 2, ms)
    expect(kindsOf(unheard(950).rest())).toBe('valid')
    expect(kindsOf(unheard(951).rest())).toEqual(['retry-goes-on'])
    const heard = (ms: number) => retry(committed().at(400).notifyCaller(1, 'receipt').throw(1), 2, ms)
    expect(kindsOf(heard(950).rest())).toBe('valid')
    expect(kindsOf(heard(951).rest())).toEqual(['retry-goes-on'])
  })

  test('a broken-off run is unknown, because a fault may still be open', () => {
    expect(kindsOf(retry(aRun().publish('m1'), 1, 551).breakOff())).toBe('unknown')
  })
})
