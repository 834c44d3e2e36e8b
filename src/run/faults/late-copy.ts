import fc from 'fast-check'
import { messageOf } from '../../contract/api/plan.ts'
import { exactText } from '../../contract/results/time-text.ts'
import { atTime, durationMs, type Fault } from './fault.ts'

/**
 * A copy of a message arrives long after the original, for example from a replayed log, a restored
 * backup or a stuck outbox.
 */
export const lateCopy: Fault = {
  kind: 'late-copy',
  about: 'a copy of a message arrives long after the message was handled',
  delays: 'none',
  needs: 'nothing',
  draw: (scope) =>
    fc.record({
      kind: fc.constant('late-copy'),
      when: atTime(scope),
      message: fc.nat({ max: 15 }),
      healAfterMs: fc.oneof(
        { withCrossShrink: true },
        durationMs(),
        fc.integer({ min: 30_000, max: 90_000 }),
        fc.integer({ min: 86_400_000, max: 90_000_000 }),
      ),
    }),
  strike({ broker }, fault) {
    const index = messageOf(fault)
    return {
      sentence: `a copy of a message is stuck and will arrive in ${exactText(Number(fault.healAfterMs))}`,
      heal() {
        if (broker.entries.length === 0) return { sentence: 'no message to copy' }
        const { message, fingerprint, producedAtOffMs } = broker.entries[index % broker.entries.length]!
        broker.publish(message, fingerprint, true, producedAtOffMs)
        return { sentence: `a copy of ${message.id} (key ${message.key}) arrives` }
      },
    }
  },
}
