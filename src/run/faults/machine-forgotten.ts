import fc from 'fast-check'
import type { Plan } from '../../contract/api/plan.ts'
import { whereText } from '../../contract/results/where-text.ts'
import { atBoundary, atTime, durationMs, type Fault } from './fault.ts'
import { machineOf } from './machine-cut-off.ts'

/**
 * An operator stops a replica and resets the Sentinels (SENTINEL RESET), which then discover only
 * the replicas that are still attached. Later the replica restarts with the data on its disk.
 * Layers still get the old number of replicas. The fault does not strike during a failover.
 */
export const machineForgotten: Fault = {
  kind: 'machine-forgotten',
  store: 'redis',
  about: 'an operator stops a replica, resets the Sentinels, and starts it again later',
  delays: 'all',
  needs: 'a replica that is up, and Sentinels',
  canStrike: ({ redis }: Plan) => redis !== undefined && redis.replicas > 0 && redis.sentinels > 0,
  draw: (scope) =>
    fc.record({
      kind: fc.constant('machine-forgotten'),
      when: fc.oneof(atTime(scope), atBoundary(scope, ['command-executed', 'effect-unsent', 'effect-applied'])),
      which: fc.nat({ max: 2 }),
      healAfterMs: durationMs(),
    }),
  strike(view, fault, event) {
    const machine = machineOf(view, 'replica', Number(fault.which))
    if (machine === null || !machine.up) return null
    return {
      action: { do: 'forget-machine', machine: machine.name },
      node: machine.name,
      sentence: `${machine.name} is stopped, and the Sentinels forget it${whereText(event)}`,
      heal: () => ({ action: { do: 'start-machine', machine: machine.name }, sentence: `${machine.name} is back` }),
    }
  },
}
