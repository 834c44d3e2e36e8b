import fc from 'fast-check'
import { slotOf } from '../../contract/api/plan.ts'
import { exactText } from '../../contract/results/time-text.ts'
import { whereText } from '../../contract/results/where-text.ts'
import type { LinkDirection } from '../actions.ts'
import { atBoundary, atTime, durationMs, type Fault, farEnd, nodesOf } from './fault.ts'

const nodes = ['redis', 'sink', 'broker'] as const
const ways = ['both', 'to-node', 'to-process'] as const

/**
 * No data passes between a consumer and a node, in one direction or both. After the partition has
 * healed, TCP retransmits the data that was held.
 */
export const partition: Fault = {
  kind: 'partition',
  about: 'nothing passes between a consumer and Redis, the sink or the broker, in one direction or both',
  delays: 'its links',
  needs: 'a link that works',
  draw(scope) {
    const shared = {
      kind: fc.constant('partition'),
      node: fc.constantFrom(...nodes),
      way: fc.constantFrom(...ways),
      healAfterMs: durationMs(),
    }
    return fc.oneof(
      fc.record({
        ...shared,
        when: atBoundary(scope, ['command-unsent', 'command-executed', 'effect-unsent', 'effect-applied', 'answered']),
      }),
      fc.record({ ...shared, when: atTime(scope), consumer: fc.nat({ max: scope.consumers - 1 }) }),
    )
  },
  strike(view, fault, event) {
    const slot = event?.slot ?? slotOf(fault)
    const node = farEnd(view, fault)
    const cut = { slot, nodes: nodesOf(view, node), direction: fault.way as LinkDirection }
    const name = `consumer-${slot + 1}`
    const [from, to] = fault.way === 'to-process' ? [node, name] : [name, node]
    const what =
      fault.way === 'both' ? `${name} and ${node} are cut off from each other` : `nothing passes from ${from} to ${to}`
    return {
      action: { do: 'block', ...cut },
      ...(event === null ? {} : { process: event.process.name }),
      sentence: `${what}${whereText(event)}, for ${exactText(Number(fault.healAfterMs))}`,
      heal: () => ({
        action: { do: 'unblock', ...cut },
        sentence: (free) =>
          free ? `${name} and ${node} reach each other again` : `${what} no longer, except for another partition`,
      }),
    }
  },
}
