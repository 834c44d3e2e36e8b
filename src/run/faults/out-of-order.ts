import fc from 'fast-check'
import { atTime, durationMs, type Fault } from './fault.ts'

/**
 * The broker delivers no messages for a while, and then delivers the newest first; a broker with
 * partitions keeps the order within each partition.
 */
export const outOfOrder: Fault = {
  kind: 'out-of-order',
  about: 'the broker holds its messages back for a while, and then delivers them in another order',
  delays: 'none',
  needs: 'a broker that is not holding messages back',
  draw: (scope) => fc.record({ kind: fc.constant('out-of-order'), when: atTime(scope), healAfterMs: durationMs() }),
  strike({ broker }) {
    if (!broker.hold(true)) return null
    return {
      sentence: 'the broker holds its messages back',
      heal() {
        broker.hold(false)
        return { sentence: `the broker delivers the messages that it held, ${broker.orderAfterHold}` }
      },
    }
  },
}
