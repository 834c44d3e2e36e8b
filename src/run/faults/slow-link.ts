import fc from 'fast-check'
import { slotOf } from '../../contract/api/plan.ts'
import { exactText } from '../../contract/results/time-text.ts'
import { atTime, durationMs, type Fault, farEnd, nodesOf } from './fault.ts'

/** Adds a delay to all data between a consumer and a node, in both directions. */
export const slowLink: Fault = {
  kind: 'slow-link',
  about: 'every message between a consumer and Redis, the sink or the broker takes much longer for a while',
  delays: 'its links',
  needs: 'nothing',
  draw: (scope) =>
    fc.record({
      kind: fc.constant('slow-link'),
      when: atTime(scope),
      consumer: fc.nat({ max: scope.consumers - 1 }),
      node: fc.constantFrom('redis', 'sink', 'broker'),
      extraMs: durationMs(),
      healAfterMs: durationMs(),
    }),
  strike(view, fault) {
    const slot = slotOf(fault)
    const node = farEnd(view, fault)
    const nodes = nodesOf(view, node)
    const extraMs = Number(fault.extraMs)
    const name = `consumer-${slot + 1}`
    return {
      action: { do: 'slow', slot, nodes, extraMs },
      sentence: `every message between ${name} and ${node} takes ${exactText(extraMs)} longer, for ${exactText(Number(fault.healAfterMs))}`,
      heal: () => ({
        action: { do: 'slow', slot, nodes, extraMs: -extraMs },
        sentence: `messages between ${name} and ${node} are as fast as before`,
      }),
    }
  },
}
