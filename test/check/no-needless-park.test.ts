import { describe, expect, test } from 'vitest'
import { noNeedlessPark } from '../../src/check/no-needless-park.ts'
import { aRun, type HistoryBuilder } from './history-builder.ts'
import { kinds } from './kinds.ts'

const kindsOf = (history: HistoryBuilder) => kinds(noNeedlessPark.judge(history))
const delivered = () => aRun().publish('m1').deliver(1, 'm1', 'consumer-1')
const park = (history: HistoryBuilder) =>
  history.answer(1, { status: 'park', reason: 'in-doubt' }).settle('m1', 'parked', 'in-doubt')

describe('no-needless-park', () => {
  test('parked-for-nothing: no request left a process and nothing happened', () => {
    expect(kindsOf(park(delivered().at(2)).rest())).toEqual(['parked-for-nothing'])
    expect(kindsOf(park(delivered().at(2)).breakOff())).toEqual(['parked-for-nothing'])
  })

  test('a request for another key, or one sent later, is no cause', () => {
    const other = delivered().publish('m2', { key: 'k2' }).deliver(2, 'm2', 'consumer-1').send(1, 2).at(2)
    expect(kindsOf(park(other).rest())).toEqual(['parked-for-nothing'])
    const later = park(delivered()).deliver(2, 'm1', 'consumer-2', 2).send(1, 2)
    expect(kindsOf(later.rest())).toEqual(['parked-for-nothing'])
  })

  test('a request for the key that had left a process is a cause', () => {
    const history = delivered().send(1, 1).at(50).deliver(2, 'm1', 'consumer-2', 2)
    expect(kindsOf(park(history).rest())).toBe('valid')
  })

  test('lost records are a cause', () => {
    expect(kindsOf(park(delivered().loseData('restart')).rest())).toBe('valid')
  })

  test('a delivery handled for longer than a lease is a cause, and one of just a lease is none', () => {
    expect(kindsOf(park(delivered().at(101)).rest())).toBe('valid')
    expect(kindsOf(park(delivered().at(100)).rest())).toEqual(['parked-for-nothing'])
  })

  test('a clock that went astray before is a cause, another fault or one after is none', () => {
    expect(kindsOf(park(delivered().strike('clock-step')).rest())).toBe('valid')
    expect(kindsOf(park(delivered().strike('slow-link')).rest())).toEqual(['parked-for-nothing'])
    expect(kindsOf(park(delivered()).strike('clock-step').rest())).toEqual(['parked-for-nothing'])
  })

  test('a message older than the retention is a cause', () => {
    const aged = (ms: number) => park(aRun().publish('m1').at(ms).deliver(1, 'm1', 'consumer-1')).rest()
    expect(kindsOf(aged(10_001))).toBe('valid')
    expect(kindsOf(aged(10_000))).toEqual(['parked-for-nothing'])
  })

  test('another payload under the key is a cause', () => {
    expect(kindsOf(park(delivered().publish('m2', { fingerprint: 'pay 2' })).rest())).toBe('valid')
  })

  test('a process that crashed while it handled the key is a cause, one that was through with it is none', () => {
    const redelivered = (history: HistoryBuilder) =>
      history.at(20).deliver(2, 'm1', 'consumer-2', 2).settle('m1', 'parked', 'in-doubt').rest()
    expect(kindsOf(redelivered(delivered().crash('consumer-1')))).toBe('valid')
    const through = delivered().answer(1, { status: 'retry' }).crash('consumer-1')
    expect(kindsOf(redelivered(through))).toEqual(['parked-for-nothing'])
  })

  test('a reply or a command lost meanwhile is a cause, one of another process is none', () => {
    const lost = (type: 'reply-lost' | 'request-lost', process: string) =>
      park(delivered().add({ type, process, command: 'EVALSHA begin' })).rest()
    expect(kindsOf(lost('reply-lost', 'consumer-1'))).toBe('valid')
    expect(kindsOf(lost('request-lost', 'consumer-1'))).toBe('valid')
    expect(kindsOf(lost('reply-lost', 'consumer-2'))).toEqual(['parked-for-nothing'])
  })

  test('parking after an unsimulated command, or no parking in a broken-off run, is unknown', () => {
    expect(kindsOf(park(delivered().add({ type: 'unsupported', what: 'FCALL' })).rest())).toBe('unknown')
    expect(kindsOf(delivered().breakOff())).toBe('unknown')
  })
})

describe('a run without faults', () => {
  const calm = () => aRun({ faultFree: true }).publish('m1').deliver(1, 'm1', 'consumer-1').send(1, 1)

  test('everything done with one effect a key is valid', () => {
    expect(kindsOf(calm().apply(1).done(1).settle('m1', 'done').rest())).toBe('valid')
  })

  test('fault-free-not-done: refused, given up or parked, though a request had left', () => {
    expect(kindsOf(calm().apply(1).settle('m1', 'refused').rest())).toEqual(['fault-free-not-done'])
    expect(kindsOf(park(calm().apply(1)).rest())).toEqual(['fault-free-not-done'])
  })

  test('fault-free-effects: none, or two', () => {
    expect(kindsOf(calm().settle('m1', 'done').rest())).toEqual(['fault-free-effects'])
    const twice = calm().apply(1).send(2, 1).apply(2).settle('m1', 'done')
    expect(kindsOf(twice.rest())).toEqual(['fault-free-effects'])
  })

  test('of a key with two payloads, one message must be done', () => {
    const conflict = () => calm().apply(1).publish('m2', { fingerprint: 'pay 2' })
    expect(kindsOf(conflict().settle('m1', 'done').settle('m2', 'parked', 'mismatch').rest())).toBe('valid')
    const none = conflict().settle('m1', 'refused').settle('m2', 'parked', 'mismatch')
    expect(kindsOf(none.rest())).toEqual(['fault-free-not-done', 'fault-free-not-done'])
  })

  test('a park for nothing is told once', () => {
    const history = aRun({ faultFree: true }).publish('m1').deliver(1, 'm1', 'consumer-1')
    expect(kindsOf(park(history).rest())).toEqual(['parked-for-nothing'])
  })

  test('what is open in a broken-off run is unknown', () => {
    expect(kindsOf(calm().breakOff())).toBe('unknown')
  })

  test('with a fault planned, none of this is asked', () => {
    expect(kindsOf(aRun().publish('m1').settle('m1', 'given-up').rest())).toBe('valid')
  })
})
