import fc from 'fast-check'
import { messageOf } from '../../contract/api/plan.ts'
import { atTime, type Fault } from './fault.ts'

/** The broker publishes a copy of a message: same id, same key, same payload. */
export const duplicateDelivery: Fault = {
  kind: 'duplicate-delivery',
  about: 'the broker delivers a message twice, as two independent deliveries',
  delays: 'none',
  needs: 'a message that has been published',
  draw: (scope) =>
    fc.record({ kind: fc.constant('duplicate-delivery'), when: atTime(scope), message: fc.nat({ max: 15 }) }),
  strike({ broker }, fault) {
    if (broker.entries.length === 0) return null
    const { message, fingerprint, producedAtOffMs } = broker.entries[messageOf(fault) % broker.entries.length]!
    broker.publish(message, fingerprint, true, producedAtOffMs)
    return { sentence: `the broker publishes a copy of ${message.id} (key ${message.key})` }
  },
}
