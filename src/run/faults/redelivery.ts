import fc from 'fast-check'
import { messageOf } from '../../contract/api/plan.ts'
import { atTime, type Fault } from './fault.ts'

/**
 * A rebalance: a message that one consumer is still handling is delivered to another one as well.
 */
export const redelivery: Fault = {
  kind: 'redelivery',
  about: 'a rebalance delivers a message that one consumer is handling to another one as well',
  delays: 'none',
  needs: 'a message that one consumer is handling and another one that is connected',
  draw: (scope) => fc.record({ kind: fc.constant('redelivery'), when: atTime(scope), message: fc.nat({ max: 15 }) }),
  strike({ broker }, fault) {
    const moved = broker.rebalance(messageOf(fault))
    if (moved === null) return null
    return { process: moved.to.name, sentence: moved.sentence }
  },
}
