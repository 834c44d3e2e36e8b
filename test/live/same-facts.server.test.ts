/** Plays one plan on both hosts. The recorded facts must not depend on the host. */
import { expect, it } from 'vitest'
import type { HistoryEvent } from '../../src/contract/api/history.ts'
import type { Plan } from '../../src/contract/api/plan.ts'
import { ordersOf, simulated, struckIn } from './facts-in-order.ts'
import { describeLive, firstAt, patient } from './lab.ts'
import { plans } from './same-facts-plans.ts'

describeLive('a live run and a simulated one of the same plan', (lab) => {
  it('has an answer that waits while its process is paused', async () => {
    const whole: Plan = { ...patient, consumers: 1, faults: [firstAt('pause', 'answered', { healAfterMs: 100 })] }
    const { history } = await lab.run('001-get-set', whole)
    const order = (events: readonly HistoryEvent[]) =>
      events.map(({ type }) => type).filter((type) => ['process-paused', 'process-resumed', 'settled'].includes(type))
    expect(order(history.events)).toEqual(['process-paused', 'process-resumed', 'settled'])
    expect(order(history.events)).toEqual(order(await simulated('articles/001-get-set', whole)))
  })

  it.each(plans)('record the same facts for each process and key: %s', async (_, plan) => {
    const whole: Plan = { ...patient, consumers: 1, ...plan }
    const live = await lab.run('001-get-set', whole)
    expect([live.notMade, live.unfit]).toEqual([[], null])
    expect(struckIn(live.history.events)).toEqual(whole.faults.map(({ kind }) => kind))
    expect(ordersOf(live.history.events)).toEqual(ordersOf(await simulated('articles/001-get-set', whole)))
  })

  it('has the same partitions and offsets, even for a retried message', async () => {
    const failing = firstAt('effect-fails-before', 'effect-unapplied', { how: 'fail' })
    const messages = [1, 2, 3, 4].map((order) => ({ key: `order-${order}`, payload: order, publishAtMs: 0 }))
    const broker = { partitions: 2, batch: 2 }
    const whole: Plan = { ...patient, consumers: 1, serial: true, messages, broker, faults: [failing] }
    const places = (events: readonly HistoryEvent[]) =>
      [0, 1].map((wanted) =>
        events.flatMap((event) =>
          event.type === 'delivered' && event.partition === wanted ? [`${event.offset} ${event.key}`] : [],
        ),
      )
    const { history } = await lab.run('001-set-nx-delete', whole)
    expect(places(history.events).flat().length).toBeGreaterThan(4)
    expect(places(history.events)).toEqual(places(await simulated('articles/001-set-nx-delete', whole)))
  })

  it('records other facts if the plans differ', async () => {
    const live = await lab.run('001-get-set', { ...patient, consumers: 1 })
    const faults = [firstAt('effect-fails-before', 'effect-unapplied', { how: 'refuse' })]
    const other = await simulated('articles/001-get-set', { ...patient, consumers: 1, faults })
    expect(ordersOf(live.history.events)).not.toEqual(ordersOf(other))
  })
})
