import { describe, expect, test } from 'vitest'
import { boundedStall } from '../../src/check/bounded-stall.ts'
import type { RunHeader } from '../../src/contract/api/history.ts'
import { aRun, type HistoryBuilder } from './history-builder.ts'
import { kinds } from './kinds.ts'

const kindsOf = (history: HistoryBuilder) => kinds(boundedStall.judge(history.rest()))

/** Delivered at 0 and received at 10 ms, so that the limit of 300 ms ends at 310. */
const called = (changes: Partial<RunHeader> = {}) =>
  aRun({ answersWithinMs: 300, ...changes })
    .publish('m1')
    .deliver(1, 'm1', 'consumer-1')

/** Answered facts as for a layer that declares a limit. */
const answeredAt = (history: HistoryBuilder, ms: number, receivedMs = 10) =>
  history.at(ms).add({
    type: 'answered',
    deliveryId: 1,
    process: 'consumer-1',
    outcome: { status: 'retry' },
    receivedUs: receivedMs * 1000,
  })

const threwAt = (history: HistoryBuilder, ms: number) =>
  history.at(ms).add({ type: 'threw', deliveryId: 1, process: 'consumer-1', error: 'no', receivedUs: 10_000 })

describe('call-goes-on', () => {
  test('is a call that takes longer than declared, ended by an answer or a throw', () => {
    expect(kindsOf(answeredAt(called(), 310))).toBe('valid')
    expect(kindsOf(answeredAt(called(), 311))).toEqual(['call-goes-on'])
    expect(kindsOf(threwAt(called(), 310))).toBe('valid')
    expect(kindsOf(threwAt(called(), 311))).toEqual(['call-goes-on'])
  })

  test('has a sentence with the time and the limit', () => {
    expect(JSON.stringify(boundedStall.judge(answeredAt(called(), 410).rest()))).toContain(
      'consumer-1 took 400 ms (without waiting) for one call for k1, which it answered at 410.0 ms; the layer declares that it answers within 300 ms',
    )
  })

  test('is not checked if the layer declares no limit', () => {
    expect(kindsOf(answeredAt(aRun().publish('m1').deliver(1, 'm1', 'consumer-1'), 400))).toBe('valid')
  })

  test('excludes the way to the consumer', () => {
    expect(kindsOf(answeredAt(called(), 480, 180))).toBe('valid')
    expect(kindsOf(answeredAt(called(), 481, 180))).toEqual(['call-goes-on'])
  })

  test('excludes pauses of its process, but not of another one', () => {
    const paused = (process: string, ms: number) =>
      answeredAt(called().at(100).pause(process).at(300).resume(process), ms)
    expect(kindsOf(paused('consumer-1', 510))).toBe('valid')
    expect(kindsOf(paused('consumer-1', 511))).toEqual(['call-goes-on'])
    expect(kindsOf(paused('consumer-2', 400))).toEqual(['call-goes-on'])
  })

  test('excludes the time of effects in flight, even of two at once', () => {
    const effect = (ms: number) =>
      answeredAt(called().at(50).send(1, 1).at(300).apply(1).notifyCaller(1, 'receipt'), ms)
    expect(kindsOf(effect(560))).toBe('valid')
    expect(kindsOf(effect(561))).toEqual(['call-goes-on'])
    const paused = (ms: number) =>
      answeredAt(
        called()
          .at(50)
          .send(1, 1)
          .at(100)
          .pause('consumer-1')
          .at(200)
          .resume('consumer-1')
          .at(300)
          .notifyCaller(1, 'error'),
        ms,
      )
    expect(kindsOf(paused(560))).toBe('valid')
    expect(kindsOf(paused(561))).toEqual(['call-goes-on'])
  })

  test('excludes the work around the effect', () => {
    const plan = { work: { beforeMs: 40, afterMs: 60 } }
    expect(kindsOf(answeredAt(called({ plan }), 410))).toBe('valid')
    expect(kindsOf(answeredAt(called({ plan }), 411))).toEqual(['call-goes-on'])
  })

  test('does not include a call that ends with its process', () => {
    expect(kindsOf(called().at(5000).crash('consumer-1'))).toBe('valid')
  })

  test('is not checked on a sink that can be queried, or with clock drift', () => {
    expect(kindsOf(answeredAt(called({ sink: 'keyed' }), 400))).toBe('valid')
    expect(kindsOf(answeredAt(called().strike('clock-drift'), 400))).toBe('valid')
    expect(kindsOf(answeredAt(called().strike('clock-step'), 400))).toEqual(['call-goes-on'])
  })

  test('is reported once per key, and holds in a broken-off run', () => {
    const twice = () => {
      const first = answeredAt(called(), 400).deliver(2, 'm1', 'consumer-2')
      const answered = { type: 'answered', deliveryId: 2, process: 'consumer-2', receivedUs: 400_000 } as const
      return first.at(900).add({ ...answered, outcome: { status: 'retry' } })
    }
    expect(kinds(boundedStall.judge(twice().breakOff()))).toEqual(['call-goes-on'])
  })
})
