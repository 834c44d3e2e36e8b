import { expect, test } from 'vitest'
import { endOfDelivery, indexHistory, isOpenAt } from '../../../src/contract/api/history-index.ts'
import type { JsonValue } from '../../../src/contract/api/json.ts'
import { aRun, type HistoryBuilder } from '../../check/history-builder.ts'

const one = () => aRun().publish('m1').deliver(1, 'm1', 'consumer-1').send(1, 1)

test('a crash cuts off only the open deliveries and requests of its process', () => {
  const history = one().deliver(2, 'm1', 'consumer-2').crash('consumer-1')
  const { deliveries, requests } = indexHistory(history)
  expect(deliveries.get(1)?.cutShort?.seq).toBe(4)
  expect(requests.get(1)?.cutShort?.seq).toBe(4)
  expect(deliveries.get(2)?.cutShort).toBeUndefined()
})

test('an answer before the crash ends a delivery', () => {
  const delivery = indexHistory(one().done(1).crash('consumer-1')).deliveries.get(1)!
  expect(endOfDelivery(delivery)?.type).toBe('answered')
  expect(delivery.cutShort).toBeUndefined()
})

test('a delivery is open from its hand-over to its end', () => {
  const history = one().done(1).at(9).crash('consumer-1')
  const delivery = indexHistory(history).deliveries.get(1)!
  expect(history.events.map((event) => isOpenAt(delivery, event))).toEqual([false, false, true, true, false])
})

test('a longer history is indexed again', () => {
  const history = one()
  expect(indexHistory(history).of('effect-applied')).toHaveLength(0)
  expect(indexHistory(history)).toBe(indexHistory(history))
  history.apply(1)
  expect(indexHistory(history).requests.get(1)?.applied?.requestId).toBe(1)
})

test('an effect in the ledger without a sent request is still found by its type', () => {
  const receipt = { effectId: 'effect-1', key: 'k1' }
  const fact = { type: 'effect-applied', requestId: 7, process: 'p', key: 'k1', fingerprint: 'f', receipt } as const
  expect(indexHistory(aRun().add(fact)).of('effect-applied')).toHaveLength(1)
})

test('two requests of a process with two deliveries of the key belong to one delivery each', () => {
  const both = aRun().publish('m1').publish('m2').deliver(1, 'm1', 'consumer-1').deliver(2, 'm2', 'consumer-1')
  const sent = {
    type: 'effect-sent',
    deliveryId: null,
    process: 'consumer-1',
    key: 'k1',
    fingerprint: 'pay 1',
  } as const
  const history = both
    .add({ ...sent, requestId: 1 })
    .add({ ...sent, requestId: 2 })
    .add({ ...sent, requestId: 3 })
  const { requests } = indexHistory(history)
  expect([1, 2, 3].map((id) => requests.get(id)?.delivery?.delivered.deliveryId)).toEqual([2, 1, 2])
})

test('a request belongs to the delivery that answers done with its receipt, if its process had several of the key', () => {
  const both = () => aRun().publish('m1').deliver(1, 'm1', 'consumer-1').deliver(2, 'm1', 'consumer-1', 2)
  const sent = () => both().send(1, 2, { unknownDelivery: true }).apply(1)
  const whose = (history: ReturnType<typeof both>) =>
    indexHistory(history).requests.get(1)?.delivery?.delivered.deliveryId
  expect(whose(sent().answer(2, { status: 'retry' }).done(1))).toBe(1)
  expect(whose(sent().answer(2, { status: 'retry' }).done(1, { effectId: 'effect-2', key: 'k1' }))).toBe(2)
  expect(whose(sent().done(2).done(1))).toBe(2)
  const later = sent().answer(2, { status: 'retry' }).deliver(3, 'm1', 'consumer-1', 3)
  expect(whose(later.done(3))).toBe(2)
  expect(whose(sent().answer(2, { status: 'retry' }).done(1).deliver(3, 'm1', 'consumer-2', 3).done(3))).toBe(1)
  const two = both().send(1, 1, { unknownDelivery: true }).send(2, 1, { unknownDelivery: true }).apply(1).apply(2)
  const { requests } = indexHistory(two.done(1).throw(2))
  expect([1, 2].map((id) => requests.get(id)?.delivery?.delivered.deliveryId)).toEqual([1, 2])
  expect(whose(both().send(1, 2).apply(1).answer(2, { status: 'retry' }).done(1))).toBe(2)
})

test('a request belongs to the delivery that answers done with the value of the sink, once the sink has returned it', () => {
  const both = () => aRun().publish('m1').deliver(1, 'm1', 'consumer-1').deliver(2, 'm1', 'consumer-1', 2)
  const given = (gives: { value?: JsonValue }) => {
    const history = both().send(1, 2, { unknownDelivery: true }).apply(1)
    Object.assign(history.events.at(-1)!, { gives })
    return history.answer(2, { status: 'retry' })
  }
  const whose = (history: ReturnType<typeof both>) =>
    indexHistory(history).requests.get(1)?.delivery?.delivered.deliveryId
  expect(whose(given({}).notifyCaller(1, 'receipt').done(1, null))).toBe(1)
  expect(
    whose(
      given({ value: { a: 1 } })
        .notifyCaller(1, 'receipt')
        .done(1, { a: 1 }),
    ),
  ).toBe(1)
  expect(
    whose(
      given({ value: { a: 1 } })
        .notifyCaller(1, 'receipt')
        .done(1, { a: 2 }),
    ),
  ).toBe(2)
  expect(whose(given({}).done(1, null).notifyCaller(1, 'receipt'))).toBe(2)
})

test('a delivery with another known request did not send the request of the unknown sender', () => {
  const sent = (later: boolean) => {
    const history = aRun().publish('m1').deliver(1, 'm1', 'consumer-1').deliver(2, 'm1', 'consumer-1', 2)
    history.send(1, 2, { unknownDelivery: true }).apply(1).notifyCaller(1, 'receipt').answer(1, { status: 'retry' })
    if (later) history.send(2, 2).apply(2)
    return indexHistory(history).requests.get(1)?.delivery?.delivered.deliveryId
  }
  expect(sent(true)).toBe(1)
  expect(sent(false)).toBe(2)
})

test('a request without a reply may have been sent again by the same delivery', () => {
  const history = aRun().publish('m1').deliver(1, 'm1', 'consumer-1').deliver(2, 'm1', 'consumer-1', 2)
  history.send(1, 2, { unknownDelivery: true }).apply(1).answer(1, { status: 'retry' }).send(2, 2).apply(2)
  expect(indexHistory(history).requests.get(1)?.delivery?.delivered.deliveryId).toBe(2)
})

test('a value of the sink does not identify a delivery that would have sent two requests, or that got it too late', () => {
  const history = aRun().publish('m1').deliver(1, 'm1', 'consumer-1').deliver(2, 'm1', 'consumer-1', 2)
  const sent = (id: number, answer: 'receipt' | 'error') => {
    history.send(id, 1, { unknownDelivery: true }).apply(id)
    Object.assign(history.events.at(-1)!, { gives: { value: 0 } })
    history.notifyCaller(id, answer)
  }
  sent(1, 'receipt')
  sent(2, 'receipt')
  const { requests } = indexHistory(history.done(1, 0).throw(2))
  expect([1, 2].map((id) => requests.get(id)?.delivery?.delivered.deliveryId)).toEqual([2, 1])
})

/** Replaces the receipt of an effect with `value`, and notifies the caller. */
function give(history: HistoryBuilder, requestId: number, value: JsonValue, answer: 'receipt' | 'error' = 'receipt') {
  history.apply(requestId)
  Object.assign(history.events.at(-1)!, { gives: { value } })
  return history.notifyCaller(requestId, answer)
}

test('a value of the sink identifies its sender, even if the same delivery got an error before', () => {
  const senders = (earlier: 'receipt' | 'error') => {
    const history = aRun().publish('m1').deliver(1, 'm1', 'a').send(1, 1)
    give(history, 1, 'ch_1', earlier).deliver(2, 'm1', 'a', 2).send(2, 1, { unknownDelivery: true })
    give(history, 2, 'ch_1').done(1, 'ch_1').answer(2, { status: 'retry' })
    return indexHistory(history)
      .requests.get(2)
      ?.senders?.map(({ delivered }) => delivered.deliveryId)
  }
  expect(senders('error')).toEqual([1])
  expect(senders('receipt')).toEqual([1, 2])
})

test('a value that another process also got from the sink does not identify the sender', () => {
  const senders = (others: JsonValue) => {
    const history = aRun().publish('m1').deliver(3, 'm1', 'b').send(1, 3)
    give(history, 1, others).deliver(1, 'm1', 'a', 2).deliver(2, 'm1', 'a', 3).send(2, 1, { unknownDelivery: true })
    give(history, 2, 'ch_1').throw(1).done(2, 'ch_1')
    return indexHistory(history)
      .requests.get(2)
      ?.senders?.map(({ delivered }) => delivered.deliveryId)
  }
  expect(senders('ch_1')).toEqual([1, 2])
  expect(senders('ch_0')).toEqual([2])
})

test('three requests of three deliveries belong to one delivery each, even if one is proven', () => {
  const whose = (isProven: boolean) => {
    const history = aRun().publish('m1').deliver(1, 'm1', 'a').deliver(2, 'm1', 'a', 2).deliver(3, 'm1', 'a', 3)
    for (const id of [1, 2, 3]) history.send(id, 1, { unknownDelivery: true }).apply(id)
    if (isProven) history.done(2, { effectId: 'effect-3' })
    const { requests } = indexHistory(history)
    return [1, 2, 3].map((id) => requests.get(id)?.delivery?.delivered.deliveryId)
  }
  expect(whose(true)).toEqual([3, 1, 2])
  expect(whose(false)).toEqual([3, 2, 1])
})
