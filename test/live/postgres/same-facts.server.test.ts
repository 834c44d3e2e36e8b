/** Plays one plan on PostgreSQL on both hosts. The recorded facts must not depend on the host. */
import { expect, it } from 'vitest'
import type { Plan } from '../../../src/contract/api/plan.ts'
import { ordersOf, simulated } from '../facts-in-order.ts'
import { describeLivePostgres, firstAt, patient } from '../lab.ts'

const layer = 'record-in-the-effects-transaction'

const at = (kind: string, boundary: string, label: string, more: object = {}) => firstAt(kind, boundary, more, label)

const plans: readonly (readonly [string, Partial<Plan>])[] = [
  ['no fault', {}],
  ['a crash at the receipt of a delivery', { faults: [firstAt('crash', 'delivery-received', { healAfterMs: 50 })] }],
  ['a crash before the statement of the effect', { faults: [firstAt('crash', 'effect-unsent', { healAfterMs: 50 })] }],
  ['a crash before COMMIT is sent', { faults: [at('crash', 'command-unsent', 'COMMIT', { healAfterMs: 50 })] }],
  ['a crash after COMMIT', { faults: [at('crash', 'reply-received', 'COMMIT', { healAfterMs: 50 })] }],
  ['a COMMIT without an answer', { faults: [at('lost-reply', 'command-executed', 'COMMIT')] }],
  ['a lost COMMIT', { faults: [at('lost-request', 'command-unexecuted', 'COMMIT')] }],
  [
    'a server that dies with the answer to COMMIT',
    { faults: [at('postgres-restart', 'command-executed', 'COMMIT', { healAfterMs: 100 })] },
  ],
  [
    'a server that dies before COMMIT',
    { faults: [at('postgres-restart', 'command-unexecuted', 'COMMIT', { healAfterMs: 100 })] },
  ],
  ['a permanently refused effect', { faults: [firstAt('effect-fails-before', 'effect-unsent', { how: 'refuse' })] }],
  ['a failing effect', { faults: [firstAt('effect-fails-before', 'effect-unsent', { how: 'fail' })] }],
  ['a lost INSERT', { faults: [at('lost-request', 'command-unexecuted', 'INSERT records')] }],
]

describeLivePostgres('a live run and a simulated one of the same plan on PostgreSQL', (lab) => {
  it.each(plans)('record the same facts for each process and key: %s', async (_, plan) => {
    const whole: Plan = { ...patient, consumers: 1, ...plan }
    const live = await lab.run(layer, whole)
    expect([live.notMade, live.notSeen, live.unfit]).toEqual([[], [], null])
    expect(ordersOf(live.history.events)).toEqual(ordersOf(await simulated(`correct/${layer}`, whole, 'transactional')))
  })

  it('record other facts if the plans differ', async () => {
    const live = await lab.run(layer, { ...patient, consumers: 1 })
    const faults = [at('lost-reply', 'command-executed', 'COMMIT')]
    const other = await simulated(`correct/${layer}`, { ...patient, consumers: 1, faults }, 'transactional')
    expect(ordersOf(live.history.events)).not.toEqual(ordersOf(other))
  })
})
