/** Plays one plan on both hosts. The recorded facts must not depend on the host. */
import { expect, it } from 'vitest'
import type { HistoryEvent } from '../../src/contract/api/history.ts'
import type { Plan } from '../../src/contract/api/plan.ts'
import { ordersOf, simulated } from './facts-in-order.ts'
import { describeLive, firstAt, patient } from './lab.ts'

const plans: readonly (readonly [string, Partial<Plan>])[] = [
  ['no fault', {}],
  ['a crash at the receipt of a delivery', { faults: [firstAt('crash', 'delivery-received', { healAfterMs: 50 })] }],
  ['a crash before the effect is sent', { faults: [firstAt('crash', 'effect-unsent', { healAfterMs: 50 })] }],
  ['a crash after the effect', { faults: [firstAt('crash', 'effect-applied', { healAfterMs: 50 })] }],
  ['a refusal by the sink', { faults: [firstAt('effect-fails-before', 'effect-unapplied', { how: 'refuse' })] }],
  [
    'a sink that fails before it applies',
    { faults: [firstAt('effect-fails-before', 'effect-unapplied', { how: 'fail' })] },
  ],
  [
    'a sink that fails after it applied',
    { faults: [firstAt('effect-fails-after', 'effect-applied', { how: 'fail' })] },
  ],
  ['a slow effect', { faults: [firstAt('slow-effect', 'effect-unapplied', { extraMs: 100 })] }],
  ['a lost acknowledgement', { faults: [firstAt('lost-acknowledgement', 'answered')], visibilityMs: 2000 }],
  ['a crash before a command is sent', { faults: [firstAt('crash', 'command-unsent', { healAfterMs: 50 })] }],
]

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
    expect(live.notMade).toEqual([])
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
