import { describe, expect, it } from 'vitest'
import { noLostMessage } from '../../src/check/no-lost-message.ts'
import type { Plan } from '../../src/contract/api/plan.ts'
import { sentenceOf } from '../../src/report/event-sentence.ts'
import { PartitionedBroker } from '../../src/run/partitioned-broker.ts'
import { done, layer, type Play, type Played, play, sleep } from '../sim/world-lab.ts'

const orders = (many: number, keys = many): Plan['messages'] =>
  Array.from({ length: many }, (_, at) => ({ key: `order-${at % keys}`, payload: at, publishAtMs: at }))

const one = (batch = 1): Play => ({ broker: { partitions: 1, batch }, consumers: 2, messages: orders(4) })
const slow = () => layer(() => sleep(300).then(() => done))

const offsets = (played: Played) => played.of('delivered').map(({ offset }) => offset)
const settled = (played: Played) => played.of('settled').map(({ messageId, as }) => `${messageId} ${as}`)
const allDone = [1, 2, 3, 4].map((at) => `message-${at} done`)

/** The highest number of pending deliveries of any partition. */
function mostAtOnce(played: Played): number {
  const open = new Map<number, Set<number>>()
  let most = 0
  for (const event of played.history.events) {
    if (event.type === 'delivered') {
      const out = open.get(event.partition!) ?? new Set()
      open.set(event.partition!, out.add(event.deliveryId))
      most = Math.max(most, out.size)
    }
    if (event.type === 'answered' || event.type === 'threw')
      for (const out of open.values()) out.delete(event.deliveryId)
  }
  return most
}

describe('a broker with partitions', () => {
  it('delivers each partition in order, one message at a time, to one consumer', async () => {
    const played = await play(slow(), { ...one(), messages: orders(8, 3), broker: { partitions: 3, batch: 2 } })
    const places = new Map<number, { offsets: number[]; keys: Set<string>; processes: Set<string> }>()
    for (const { partition, offset, key, process } of played.of('delivered')) {
      const place = places.get(partition!) ?? { offsets: [], keys: new Set(), processes: new Set() }
      places.set(partition!, place)
      place.offsets.push(offset!)
      place.keys.add(key)
      place.processes.add(process)
    }
    expect([...places.values()].every(({ processes }) => processes.size === 1)).toBe(true)
    expect([...places.values()].flatMap(({ keys }) => [...keys]).sort()).toEqual(['order-0', 'order-1', 'order-2'])
    for (const { offsets } of places.values()) expect(offsets).toEqual(offsets.map((_, at) => at))
    expect(mostAtOnce(played)).toBe(1)
    expect(played.of('settled')).toHaveLength(8)
    // Without partitions, deliveries overlap, and have no offset.
    const { broker: _, ...queue } = one()
    expect(offsets(await play(slow(), queue))).toEqual([undefined, undefined, undefined, undefined])
  })

  it('has partitions in work in parallel, but not in a serial consumer', async () => {
    const overlaps = async (options: Play) => {
      let [now, most] = [0, 0]
      const counting = layer(async () => {
        most = Math.max(most, ++now)
        await sleep(300)
        now--
        return done
      })
      await play(counting, { ...one(), messages: orders(8), broker: { partitions: 4, batch: 2 }, ...options })
      return most
    }
    expect(await overlaps({ consumers: 1 })).toBeGreaterThan(1)
    expect(await overlaps({ consumers: 1, serial: true })).toBe(1)
    expect(await overlaps({ consumers: 2, serial: true })).toBe(2)
  })

  it('commits after a batch, and not earlier', async () => {
    const order = async (batch: number) =>
      (
        await play(slow(), { ...one(batch), messages: orders(4).map((message) => ({ ...message, publishAtMs: 0 })) })
      ).history.events
        .filter(({ type }) => type === 'answered' || type === 'settled')
        .map(({ type }) => type[0])
        .join('')
    expect(await order(1)).toBe('asasasas')
    // The first message was alone in its batch.
    expect(await order(3)).toBe('asaaasss')
  })
})

describe('a consumer that loses its partitions', () => {
  const crash = { kind: 'crash', when: { at: 'delivery-received' as const, consumer: 0, nth: 4 }, healAfterMs: 20_000 }

  it('is replaced by one that begins at the committed offset', async () => {
    const crashed = (batch: number) => play(slow(), { ...one(batch), faults: [crash], visibilityMs: 3000 })
    const [each, batches] = [await crashed(1), await crashed(3)]
    expect(offsets(each)).toEqual([0, 1, 2, 3, 3])
    // The batch had 1, 2 and 3: the answered ones come again.
    expect(offsets(batches)).toEqual([0, 1, 2, 3, 1, 2, 3])
    expect(batches.of('delivered').map(({ process }) => process)).toEqual([
      ...Array(4).fill('consumer-1'),
      ...Array(3).fill('consumer-2'),
    ])
    for (const played of [each, batches]) expect(settled(played)).toEqual(allDone)
  })

  it('continues with its messages after a pause, and its answers are ignored', async () => {
    const pause = { kind: 'pause', when: { at: 'delivery-received' as const, consumer: 0, nth: 2 }, healAfterMs: 2500 }
    const played = await play(slow(), { ...one(), faults: [pause], visibilityMs: 1000 })
    expect(played.of('delivery-timed-out')).toHaveLength(1)
    expect(played.of('delivered').map(({ offset, process }) => `${offset} ${process}`)).toEqual([
      '0 consumer-1',
      '1 consumer-1',
      '1 consumer-2',
      '2 consumer-2',
      '3 consumer-2',
    ])
    expect(played.of('answered')).toHaveLength(5)
    expect(settled(played)).toEqual(allDone)
    // Only a rebalance leads to two owners at once.
    expect(mostAtOnce(played)).toBe(2)
    expect(mostAtOnce(await play(slow(), one()))).toBe(1)
  })

  it('loses all of them, but no message whose answer was ignored', async () => {
    const slowOnce = layer(({ key }) => sleep(key === 'order-1' ? 900 : 200).then(() => done))
    const messages = [...orders(2), ...orders(12).map((one) => ({ ...one, key: 'order-3', publishAtMs: 650 }))]
    const played = await play(slowOnce, {
      ...{ consumers: 1, messages, broker: { partitions: 3, batch: 12 } },
      ...{ visibilityMs: 700, maxAttempts: 2 },
    })
    const timedOut = new Set(played.of('delivery-timed-out').map(({ deliveryId }) => deliveryId))
    expect(timedOut.size).toBeGreaterThan(2)
    expect(
      played.of('delivered').filter(({ deliveryId, key }) => timedOut.has(deliveryId) && key === 'order-3').length,
    ).toBeGreaterThan(0)
    expect(noLostMessage.judge(played.history).verdict).toBe('valid')
  })

  it('loses them to a rebalance, whose sentence names the partition and its offset', async () => {
    const rebalance = { kind: 'redelivery', when: { at: 'time' as const, ms: 800 }, message: 0 }
    const played = await play(slow(), { ...one(4), faults: [rebalance] })
    expect(played.of('fault-struck')[0]!.sentence).toBe(
      'a rebalance takes partition 0 from consumer-1, which has message-3 (key order-2), and gives it to consumer-2, from offset 1',
    )
    expect(offsets(played)).toEqual([0, 1, 2, 1, 2, 3])
    expect(settled(played)).toEqual(allDone)
    const alone = await play(slow(), { ...one(4), consumers: 1, faults: [rebalance] })
    expect(alone.of('fault-struck')).toHaveLength(0)
  })

  it('gets them back if it is the only one, even after a lost answer', async () => {
    const lost = { kind: 'lost-acknowledgement', when: { at: 'answered' as const, consumer: 0, nth: 2 } }
    const played = await play(slow(), { ...one(), consumers: 1, faults: [lost], visibilityMs: 1000 })
    expect(offsets(played)).toEqual([0, 1, 1, 2, 3])
    expect(settled(played)).toEqual(allDone)
  })
})

describe('a deferred message', () => {
  const failsFor = (key: string, times: number) => {
    let left = times
    return layer(({ key: its }) => {
      if (its !== key || left-- <= 0) return done
      throw new Error('not now')
    })
  }

  it('blocks only its own partition', async () => {
    const blocked = await play(failsFor('order-1', 3), { ...one(4), maxAttempts: 50 })
    expect(offsets(blocked)).toEqual([0, 1, 1, 1, 1, 2, 3])
    expect(settled(blocked)).toEqual(allDone)
    const messages = orders(8)
    const many = { ...one(), messages, broker: { partitions: 3, batch: 1 }, maxAttempts: 50 }
    const beside = await play(failsFor('order-1', 3), many)
    const partitionOf = (key: string) => beside.of('delivered').find((one) => one.key === key)!.partition
    const others = messages.filter(({ key }) => partitionOf(key) !== partitionOf('order-1'))
    expect(others.length).toBeGreaterThan(0)
    const blockedUntil = beside.of('delivered').findLast(({ key }) => key === 'order-1')!.seq
    for (const { key } of others)
      expect(beside.of('delivered').find((one) => one.key === key)!.seq).toBeLessThan(blockedUntil)
  })

  it('blocks it until its attempts are used up', async () => {
    const played = await play(failsFor('order-1', 99), { ...one(4), maxAttempts: 3 })
    expect(offsets(played)).toEqual([0, 1, 1, 1, 2, 3])
    expect(settled(played)).toEqual(allDone.with(1, 'message-2 given-up'))
  })

  it('is also given up if it kills its consumers', async () => {
    const poison = { kind: 'poison', when: { at: 'time' as const, ms: 0 }, message: 1, how: 'kills', times: 99 }
    const played = await play(slow(), { ...one(3), faults: [poison], maxAttempts: 3, visibilityMs: 3000 })
    expect(settled(played)).toEqual(allDone.with(1, 'message-2 given-up'))
  })
})

describe('a story', () => {
  it('has partition, offset and lost partitions, unlike that of a queue', async () => {
    const silent = () => layer(() => new Promise(() => {}))
    const told = async (options: Play) => {
      const { history } = await play(silent(), { consumers: 1, visibilityMs: 700, maxAttempts: 1, ...options })
      return history.events
        .filter(({ type }) => type === 'delivered' || type === 'delivery-timed-out')
        .map((event) => sentenceOf(event, history))
    }
    expect(await told({ broker: { partitions: 1, batch: 1 } })).toEqual([
      'message-1 is handed to consumer-1 (attempt 1; partition 0, offset 0)',
      'consumer-1 is late, and loses the partition of message-1',
    ])
    expect(await told({})).toEqual([
      'message-1 is handed to consumer-1 (attempt 1)',
      'the broker stops waiting for an answer about message-1',
    ])
  })
})

describe('faults of the broker', () => {
  it('commit past an unfinished message, which is not delivered again', async () => {
    const past = { kind: 'commit-past', when: { at: 'time' as const, ms: 800 }, message: 0, healAfterMs: 500 }
    const played = await play(slow(), { ...one(4), faults: [past] })
    expect(offsets(played)).toEqual([0, 1, 2, 3, 4])
    expect(settled(played)).toEqual([...allDone.with(2, 'message-3 passed-over'), 'message-3-again done'])
  })

  it('hold messages back, and keep the order', async () => {
    const hold = { kind: 'out-of-order', when: { at: 'time' as const, ms: 0 }, healAfterMs: 500 }
    const played = await play(slow(), { ...one(2), faults: [hold] })
    expect(offsets(played)).toEqual([0, 1, 2, 3])
    expect(played.of('fault-healed')[0]!.sentence).toContain('each partition in its order')
  })

  it('add copies after the others', async () => {
    const copy = { kind: 'duplicate-delivery', when: { at: 'time' as const, ms: 100 }, message: 0 }
    const played = await play(slow(), { ...one(), faults: [copy] })
    expect(
      played
        .of('delivered')
        .map(({ messageId }) => messageId)
        .at(-1),
    ).toBe('message-1')
    expect(offsets(played)).toEqual([0, 1, 2, 3, 4])
  })
})

describe('commits of a broker', () => {
  interface Consumer {
    readonly name: string
  }
  const facts: { type: string; messageId?: string }[] = []
  const brokerOf = (Kind: typeof PartitionedBroker) => {
    facts.length = 0
    const [first, second] = [{ name: 'consumer-1' }, { name: 'consumer-2' }]
    const connected = [first, second]
    const plan = { visibilityMs: 1000, redeliveryMs: 100, maxAttempts: 50, broker: { partitions: 1, batch: 1 } }
    const run = {
      ...{ plan: plan as never, gracePeriodMs: 0, nowUs: () => 0, chance: () => 1 },
      recorder: { fact: (fact: { readonly type: string }) => void facts.push(fact) },
      after: () => {},
    }
    const broker = new Kind<Consumer>(run, { connected: () => connected, handles: () => false, hand() {} })
    broker.publish({ id: 'message-1', key: 'k', payload: 1, producedAt: 0 }, '1', false)
    const crash = () => broker.disconnected(connected.shift()!)
    const types = () => facts.filter(({ type }) => type !== 'published').map(({ type }) => type)
    return { broker, crash, types, answer: () => broker.answer(broker.entries[0]!.open!, { outcome: done }) }
  }

  it('come after the answer: an early commit loses the messages of its consumer', () => {
    class Early<P extends { readonly name: string }> extends PartitionedBroker<P> {
      override deliver(...[entry, process]: Parameters<PartitionedBroker<P>['deliver']>): void {
        super.deliver(entry, process)
        this.passOver(0)
      }
    }
    const right = brokerOf(PartitionedBroker)
    right.crash()
    expect(right.types()).toEqual(['delivered', 'delivered'])
    expect(right.broker.restful).toBe(false)
    const early = brokerOf(Early)
    early.crash()
    expect(early.types()).toEqual(['delivered', 'settled'])
    expect(early.broker.restful).toBe(true)
  })

  it('are necessary: without them, answered messages are delivered again', () => {
    class Forgetful<P extends { readonly name: string }> extends PartitionedBroker<P> {
      protected override commit(): void {}
    }
    const right = brokerOf(PartitionedBroker)
    right.answer()
    right.crash()
    expect(right.types()).toEqual(['delivered', 'settled'])
    expect(right.broker.restful).toBe(true)
    const forgetful = brokerOf(Forgetful)
    forgetful.answer()
    forgetful.crash()
    expect(forgetful.types()).toEqual(['delivered', 'delivered'])
    expect(forgetful.broker.restful).toBe(false)
  })
})
