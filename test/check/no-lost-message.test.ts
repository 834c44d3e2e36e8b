import { describe, expect, test } from 'vitest'
import { noLostMessage } from '../../src/check/no-lost-message.ts'
import type { Outcome } from '../../src/contract/api/message.ts'
import { aRun, type HistoryBuilder } from './history-builder.ts'
import { kinds } from './kinds.ts'

const kindsOf = (history: Parameters<typeof noLostMessage.judge>[0]) => kinds(noLostMessage.judge(history))
const delivered = () => aRun().publish('m1').deliver(1, 'm1', 'consumer-1')

describe('no-lost-message', () => {
  test('done, refused, or dead-lettered with a reason is valid', () => {
    expect(kindsOf(delivered().settle('m1', 'done').rest())).toBe('valid')
    expect(kindsOf(delivered().settle('m1', 'refused').rest())).toBe('valid')
    expect(kindsOf(delivered().settle('m1', 'dead-lettered', 'in-doubt').rest())).toBe('valid')
  })

  test('a copy is lost only if its original is', () => {
    const history = delivered().publish('m1', { copy: true }).settle('m1', 'given-up').settle('m1', 'done')
    expect(kindsOf(history.rest())).toBe('valid')
  })

  test('given-up: the attempts were used up, however the run ended', () => {
    expect(kindsOf(delivered().settle('m1', 'given-up').rest())).toEqual(['given-up'])
    expect(kindsOf(delivered().settle('m1', 'given-up').breakOff())).toEqual(['given-up'])
  })

  test('given-up: proves nothing within the declared bound of the layer', () => {
    const givenUp = (ms: number, recoveryBoundFrom: 'layer' | 'scenario') =>
      aRun({ recoveryBoundFrom })
        .publish('m1')
        .strike('crash')
        .deliver(1, 'm1', 'consumer-1')
        .at(ms)
        .settle('m1', 'given-up')
        .rest()
    expect(kindsOf(givenUp(500, 'layer'))).toBe('unknown')
    expect(kindsOf(givenUp(501, 'layer'))).toEqual(['given-up'])
    expect(kindsOf(givenUp(500, 'scenario'))).toEqual(['given-up'])
  })

  test('given-up: is valid if a handler answered, but too late for the broker', () => {
    const late = () => delivered().add({ type: 'delivery-timed-out', deliveryId: 1 })
    const answered = (outcome: Outcome) => late().answer(1, outcome).settle('m1', 'given-up').rest()
    expect(kindsOf(answered({ status: 'done', result: 1 }))).toBe('valid')
    expect(kindsOf(answered({ status: 'refused', error: 'no' }))).toBe('valid')
    expect(kindsOf(answered({ status: 'dead-letter', reason: 'in-doubt' }))).toEqual(['given-up'])
    expect(kindsOf(answered({ status: 'retry' }))).toEqual(['given-up'])
    const inTime = delivered().answer(1, { status: 'done', result: 1 }).settle('m1', 'given-up')
    expect(kindsOf(inTime.rest())).toEqual(['given-up'])
    const ofAnother = late().publish('m2').deliver(2, 'm2', 'consumer-1').answer(2, { status: 'done', result: 1 })
    expect(kindsOf(ofAnother.settle('m2', 'done').settle('m1', 'given-up').rest())).toEqual(['given-up'])
  })

  test('given-up: is valid if the last handler threw a permanent refusal', () => {
    const refused = (reason?: 'refused' | 'fence') => delivered().send(1, 1).refuse(1, reason)
    const thrown = (history: HistoryBuilder) =>
      history.notifyCaller(1, 'refused').throw(1).settle('m1', 'given-up').rest()
    expect(kindsOf(thrown(refused()))).toBe('valid')
    expect(kindsOf(thrown(refused('fence')))).toEqual(['given-up'])
    expect(kindsOf(refused().settle('m1', 'given-up').rest())).toEqual(['given-up'])
    const laterApplied = refused().notifyCaller(1, 'refused').throw(1).send(2, 1).apply(2)
    expect(kindsOf(laterApplied.settle('m1', 'given-up').rest())).toEqual(['given-up'])
    const stuck = refused()
      .notifyCaller(1, 'refused')
      .throw(1)
      .deliver(2, 'm1', 'consumer-2', 2)
      .answer(2, { status: 'retry' })
    expect(kindsOf(stuck.settle('m1', 'given-up').rest())).toEqual(['given-up'])
  })

  test('given-up: is valid if an earlier handler threw the refusal, and an attempt at work kept off the last one', () => {
    const refused = () => delivered().send(1, 1).refuse(1).notifyCaller(1, 'refused').throw(1)
    const holder = (history: HistoryBuilder) => history.publish('m1', { copy: true }).deliver(2, 'm1', 'consumer-2')
    const turnedAway = (history: HistoryBuilder, ms: number) =>
      history.at(ms).deliver(3, 'm1', 'consumer-3', 2).answer(3, { status: 'retry' }).settle('m1', 'given-up')
    expect(kindsOf(turnedAway(holder(refused()), 50).rest())).toBe('valid')
    expect(kindsOf(turnedAway(holder(refused()).crash('consumer-2'), 100).rest())).toBe('valid')
    expect(kindsOf(turnedAway(holder(refused()).crash('consumer-2'), 101).rest())).toEqual(['given-up'])
    expect(kindsOf(turnedAway(holder(refused()).throw(2), 50).rest())).toEqual(['given-up'])
    expect(kindsOf(turnedAway(holder(delivered().throw(1)), 50).rest())).toEqual(['given-up'])
    const applied = holder(refused()).send(2, 2).apply(2)
    expect(kindsOf(turnedAway(applied, 50).rest())).toEqual(['given-up'])
    // The holder ends before the answer, or just before the delivery, and releases its lock.
    const met = holder(refused()).at(10).deliver(3, 'm1', 'consumer-3', 2).throw(2).answer(3, { status: 'retry' })
    expect(kindsOf(met.settle('m1', 'given-up').rest())).toBe('valid')
    const other = () => refused().publish('m2').deliver(2, 'm2', 'consumer-2').throw(2)
    expect(kindsOf(turnedAway(other(), 100).rest().settle('m2', 'done'))).toBe('valid')
    expect(kindsOf(turnedAway(other(), 101).rest().settle('m2', 'done'))).toEqual(['given-up'])
  })

  test('given-up: is valid if the last handler may have thrown the refusal of another delivery in its process', () => {
    const both = () => aRun().publish('m1').deliver(1, 'm1', 'consumer-1').deliver(2, 'm1', 'consumer-1', 2)
    const end = (history: HistoryBuilder) => history.throw(2).settle('m1', 'given-up').rest()
    const reported = (history: HistoryBuilder) => history.refuse(1).notifyCaller(1, 'refused')
    expect(kindsOf(end(reported(both().send(1, 1)).throw(1)))).toBe('valid')
    expect(kindsOf(end(reported(both().send(1, 1, { unknownDelivery: true })).throw(1)))).toBe('valid')
    expect(kindsOf(end(reported(both().send(1, 1)).answer(1, { status: 'retry' })))).toEqual(['given-up'])
    const before = reported(delivered().send(1, 1)).throw(1).deliver(2, 'm1', 'consumer-1', 2)
    expect(kindsOf(end(before))).toEqual(['given-up'])
    const elsewhere = delivered().deliver(2, 'm1', 'consumer-2', 2)
    expect(kindsOf(end(reported(elsewhere.send(1, 1)).throw(1)))).toEqual(['given-up'])
  })

  describe('accepted', () => {
    const accepted = () => delivered().answer(1, { status: 'accepted' }).settle('m1', 'accepted')
    /** The request of a relay: its process is not handling a delivery. */
    const relayed = (history = accepted()) => history.at(20).send(1, 1, { unknownDelivery: true })

    test('is valid if the effect or the refusal of the sink follows', () => {
      expect(kindsOf(relayed().apply(1).rest())).toBe('valid')
      expect(kindsOf(relayed().refuse(1).rest())).toBe('valid')
    })

    test('is valid if the effect came before', () => {
      const again = delivered().send(1, 1).apply(1).done(1).deliver(2, 'm1', 'consumer-2', 2)
      expect(kindsOf(again.answer(2, { status: 'accepted' }).settle('m1', 'accepted').rest())).toBe('valid')
    })

    test('accepted-and-forgotten: no effect followed until rest', () => {
      expect(kindsOf(accepted().rest())).toEqual(['accepted-and-forgotten'])
      expect(kindsOf(relayed().rest())).toEqual(['accepted-and-forgotten'])
      expect(kindsOf(relayed().refuse(1, 'fence').rest())).toEqual(['accepted-and-forgotten'])
      expect(kindsOf(relayed().apply(1).cancel('consumer-1', 1).rest())).toEqual(['accepted-and-forgotten'])
      const another = accepted().publish('m2', { key: 'k2' }).deliver(2, 'm2', 'consumer-1').send(2, 2).apply(2)
      expect(kindsOf(another.settle('m2', 'done').rest())).toEqual(['accepted-and-forgotten'])
    })

    test('proves nothing before rest', () => {
      expect(kindsOf(accepted().breakOff())).toBe('unknown')
      expect(kindsOf(accepted().add({ type: 'unsupported', what: 'FCALL' }).rest())).toBe('unknown')
    })

    test('must be kept even if it was too late for the broker', () => {
      const late = () => delivered().add({ type: 'delivery-timed-out', deliveryId: 1 })
      const givenUp = () => late().answer(1, { status: 'accepted' }).settle('m1', 'given-up')
      expect(kindsOf(relayed(givenUp()).apply(1).rest())).toBe('valid')
      expect(kindsOf(givenUp().rest())).toEqual(['accepted-and-forgotten'])
      expect(kindsOf(givenUp().breakOff())).toBe('unknown')
    })
  })

  test('passed-over: the broker lost the message, unless it was given up before', () => {
    expect(kindsOf(delivered().settle('m1', 'passed-over').rest())).toBe('valid')
    expect(kindsOf(delivered().settle('m1', 'given-up').settle('m1', 'passed-over').rest())).toEqual(['given-up'])
    expect(kindsOf(delivered().publish('m2').settle('m1', 'passed-over').rest())).toEqual(['never-settled'])
  })

  test('given-up: proves nothing if the layer met an unsupported feature', () => {
    const history = delivered().add({ type: 'unsupported', what: 'FCALL' }).settle('m1', 'given-up').rest()
    expect(noLostMessage.judge(history)).toEqual({ verdict: 'unknown', reason: 'not simulated: FCALL' })
  })

  test('dead-lettered-without-reason: no reason, or a blank one', () => {
    expect(kindsOf(delivered().settle('m1', 'dead-lettered').rest())).toEqual(['dead-lettered-without-reason'])
    expect(kindsOf(delivered().settle('m1', 'dead-lettered', ' ').rest())).toEqual(['dead-lettered-without-reason'])
  })

  test('never-settled: open at rest', () => {
    expect(kindsOf(delivered().publish('m2', { key: 'k2' }).settle('m2', 'done').rest())).toEqual(['never-settled'])
  })

  test('an open message at the end of the budget is unknown, with the reason', () => {
    const reason = 'the run was not finished: the event budget ran out'
    expect(noLostMessage.judge(delivered().breakOff())).toEqual({ verdict: 'unknown', reason })
    expect(noLostMessage.judge(delivered())).toEqual({ verdict: 'unknown', reason: 'the history has no end' })
  })
})
