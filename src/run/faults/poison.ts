import fc from 'fast-check'
import { messageOf } from '../../contract/api/plan.ts'
import { atTime, type Fault } from './fault.ts'

/**
 * One key is poisonous: it kills consumers that handle its messages, or the sink fails on its
 * effects.
 */
export const poison: Fault = {
  kind: 'poison',
  about: 'a message is poison: again and again it kills the consumers that handle it, or the sink fails on its effect',
  delays: 'none',
  needs: 'a message',
  draw: (scope) =>
    fc.record({
      kind: fc.constant('poison'),
      when: atTime({ ...scope, spanMs: 1 }),
      message: fc.nat({ max: 15 }),
      how: fc.constantFrom('kills', 'sink-fails'),
      times: fc.integer({ min: 1, max: 6 }),
    }),
  strike(view, fault) {
    const { messages } = view.plan
    const key = messages[messageOf(fault) % messages.length]?.key
    if (key === undefined) return null
    const times = Number(fault.times)
    view.poison(key, fault.how === 'kills' ? 'kills' : 'sink-fails', times)
    const what = fault.how === 'kills' ? 'kills the consumers that handle it' : 'makes the sink fail'
    return { sentence: `the message for ${key} is poison: it ${what}, ${times} times` }
  },
}
