import fc from 'fast-check'
import { messageOf } from '../../contract/api/plan.ts'
import { atTime, type Fault } from './fault.ts'

/**
 * The broker skips the offset of a message that a consumer is still handling, so the message is
 * never delivered again, whatever the outcome. When the fault heals, the producer, which has an
 * outbox and has received no outcome, publishes the message again, with a new id and the original
 * produced-at time.
 */
export const commitPast: Fault = {
  kind: 'commit-past',
  about: 'the broker skips the offset of an unfinished message, which is later published again under a new id',
  delays: 'none',
  needs: 'a message that a consumer is handling',
  draw: (scope) =>
    fc.record({
      kind: fc.constant('commit-past'),
      when: atTime(scope),
      message: fc.nat({ max: 15 }),
      healAfterMs: fc.oneof(fc.integer({ min: 1, max: 2000 }), fc.integer({ min: 2001, max: 30_000 })),
    }),
  strike({ broker }, fault) {
    const passed = broker.passOver(messageOf(fault))
    if (passed === null) return null
    const { message, fingerprint, producedAtOffMs } = passed.entry
    const named = `${message.id} (key ${message.key})`
    return {
      process: passed.process.name,
      sentence: `the broker commits past ${named}, which ${passed.process.name} has not finished`,
      heal() {
        const id = `${message.id}-again`
        broker.publish({ ...message, id }, fingerprint, false, producedAtOffMs)
        return { sentence: `${named} is published again, as ${id}` }
      },
    }
  },
}
