/** Plays one plan on PostgreSQL on both hosts. The recorded facts must not depend on the host. */
import { expect, it } from 'vitest'
import type { Plan } from '../../../src/contract/api/plan.ts'
import { ordersOf, simulated, struckIn } from '../facts-in-order.ts'
import { describeLivePostgres, firstAt, patient } from '../lab.ts'
import { postgresPlans } from '../same-facts-plans.ts'

const layer = 'record-in-the-effects-transaction'

describeLivePostgres('a live run and a simulated one of the same plan on PostgreSQL', (lab) => {
  it.each(postgresPlans)('record the same facts for each process and key: %s', async (_, plan) => {
    const whole: Plan = { ...patient, consumers: 1, ...plan }
    const live = await lab.run(layer, whole)
    expect([live.notMade, live.notSeen, live.unfit]).toEqual([[], [], null])
    expect(struckIn(live.history.events)).toEqual(whole.faults.map(({ kind }) => kind))
    expect(ordersOf(live.history.events)).toEqual(ordersOf(await simulated(`correct/${layer}`, whole, 'transactional')))
  })

  it('record other facts if the plans differ', async () => {
    const live = await lab.run(layer, { ...patient, consumers: 1 })
    const faults = [firstAt('lost-reply', 'command-executed', {}, 'COMMIT')]
    const other = await simulated(`correct/${layer}`, { ...patient, consumers: 1, faults }, 'transactional')
    expect(ordersOf(live.history.events)).not.toEqual(ordersOf(other))
  })
})
