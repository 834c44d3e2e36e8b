import { describe, expect, test } from 'vitest'
import { payloadBound } from '../../src/check/payload-bound.ts'
import { aRun } from './history-builder.ts'
import { kinds } from './kinds.ts'

const kindsOf = (history: Parameters<typeof payloadBound.judge>[0]) => kinds(payloadBound.judge(history))

/**
 * `m1` was executed and done. `m2` has the same key with another payload, and is delivered to
 * consumer-2.
 */
const conflict = () =>
  aRun()
    .publish('m1')
    .publish('m2', { fingerprint: 'pay 2' })
    .deliver(1, 'm1', 'consumer-1')
    .send(1, 1)
    .apply(1)
    .done(1)
    .deliver(2, 'm2', 'consumer-2')

describe('payload-bound', () => {
  test('the other payload dead-lettered or deferred is valid', () => {
    expect(kindsOf(conflict().answer(2, { status: 'dead-letter', reason: 'another payload' }).rest())).toBe('valid')
    expect(kindsOf(conflict().answer(2, { status: 'retry' }).rest())).toBe('valid')
  })

  test('a copy with the same payload answered with the stored result is valid', () => {
    expect(kindsOf(conflict().deliver(3, 'm1', 'consumer-3', 2).done(3).rest())).toBe('valid')
  })

  test('executed-with-another-payload: both were executed, however the run ended', () => {
    expect(kindsOf(conflict().send(2, 2).apply(2).breakOff())).toEqual(['executed-with-another-payload'])
  })

  test('executed-with-another-payload: a payload that no message had', () => {
    const history = aRun().publish('m1').deliver(1, 'm1', 'consumer-1').send(1, 1, { fingerprint: 'pay 9' }).apply(1)
    expect(kindsOf(history.rest())).toEqual(['executed-with-another-payload'])
  })

  test('answered-as-if-the-same: done because of the effect of the first payload', () => {
    expect(kindsOf(conflict().done(2).rest())).toEqual(['answered-as-if-the-same'])
  })

  test('answered-as-if-the-same: refused because of the refusal of the first payload', () => {
    const refused = { status: 'refused', error: 'no' } as const
    const history = (fingerprint: string) =>
      aRun()
        .publish('m1')
        .publish('m2', { fingerprint })
        .deliver(1, 'm1', 'consumer-1')
        .send(1, 1)
        .refuse(1)
        .answer(1, refused)
        .deliver(2, 'm2', 'consumer-2')
        .answer(2, refused)
        .rest()
    expect(kindsOf(history('pay 2'))).toEqual(['answered-as-if-the-same'])
    expect(kindsOf(history('pay 1'))).toBe('valid')
  })

  test('answered-as-if-the-same: accepted, but only the other payload was decided', () => {
    const accepted = { status: 'accepted' } as const
    expect(kindsOf(conflict().answer(2, accepted).rest())).toEqual(['answered-as-if-the-same'])
    expect(kindsOf(conflict().answer(2, accepted).breakOff())).toBe('unknown')
    const later = () =>
      aRun()
        .publish('m1')
        .publish('m2', { fingerprint: 'pay 2' })
        .deliver(1, 'm1', 'consumer-1')
        .answer(1, accepted)
        .deliver(2, 'm2', 'consumer-2')
    const both = () => later().answer(2, accepted).send(1, 1, { unknownDelivery: true })
    expect(kindsOf(both().apply(1).rest())).toEqual(['answered-as-if-the-same'])
    expect(kindsOf(both().refuse(1).rest())).toEqual(['answered-as-if-the-same'])
    expect(kindsOf(both().rest())).toBe('valid')
    const deadLettered = later().answer(2, { status: 'dead-letter', reason: 'another payload' })
    expect(kindsOf(deadLettered.send(1, 1, { unknownDelivery: true }).apply(1).rest())).toBe('valid')
  })

  describe('for a layer that binds keys to their produced-at times', () => {
    /**
     * `m1` was executed and done. `m2` has the same key and payload with another produced-at time.
     */
    const producedAgain = (changes: Parameters<typeof aRun>[0] = { bindsProducedAt: true }) =>
      aRun(changes)
        .publish('m1')
        .publish('m2', { producedAtOffMs: -400 })
        .deliver(1, 'm1', 'consumer-1')
        .send(1, 1)
        .apply(1)
        .done(1)
        .deliver(2, 'm2', 'consumer-2')

    test('answered-as-if-produced-then: done because of the effect of the other produced-at time', () => {
      expect(kindsOf(producedAgain().done(2).rest())).toEqual(['answered-as-if-produced-then'])
      expect(kindsOf(producedAgain({}).done(2).rest())).toBe('valid')
    })

    test('the other produced-at time dead-lettered is valid, and so is a copy of the first', () => {
      expect(
        kindsOf(producedAgain().answer(2, { status: 'dead-letter', reason: 'another produced-at time' }).rest()),
      ).toBe('valid')
      expect(
        kindsOf(producedAgain().publish('m1', { copy: true }).deliver(3, 'm1', 'consumer-3', 2).done(3).rest()),
      ).toBe('valid')
    })

    test('a message with its own request is done by its own effect', () => {
      expect(kindsOf(producedAgain().send(2, 2).apply(2).done(2).rest())).toBe('valid')
    })

    test('a request of an unknown delivery may be its own', () => {
      const history = aRun({ bindsProducedAt: true })
        .publish('m1')
        .publish('m2', { producedAtOffMs: -400 })
        .deliver(1, 'm1', 'consumer-1')
        .deliver(2, 'm2', 'consumer-1')
        .send(1, 1, { unknownDelivery: true })
        .apply(1)
        .done(2)
      expect(kindsOf(history.rest())).toBe('valid')
    })

    test('answered-as-if-produced-then: refused because the sink refused the other produced-at time', () => {
      const refused = { status: 'refused', error: 'no' } as const
      const history = aRun({ bindsProducedAt: true })
        .publish('m1')
        .publish('m2', { producedAtOffMs: 7 })
        .deliver(1, 'm1', 'consumer-1')
        .send(1, 1)
        .refuse(1)
        .answer(1, refused)
        .deliver(2, 'm2', 'consumer-2')
        .answer(2, refused)
      expect(kindsOf(history.rest())).toEqual(['answered-as-if-produced-then'])
    })
  })

  test('done without an effect is judged elsewhere', () => {
    expect(kindsOf(aRun().publish('m1').deliver(1, 'm1', 'consumer-1').done(1).rest())).toBe('valid')
  })

  test('a broken-off run without a conflict is unknown', () => {
    expect(kindsOf(conflict().breakOff())).toBe('unknown')
  })
})
