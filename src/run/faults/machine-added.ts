import fc from 'fast-check'
import type { Plan } from '../../contract/api/plan.ts'
import { whereText } from '../../contract/results/where-text.ts'
import { atBoundary, atTime, durationMs, type Fault } from './fault.ts'

/**
 * An operator starts an extra replica (REPLICAOF, for a report or a backup) without notice. The
 * replica acknowledges writes as other replicas do, and is never promoted, because it has priority
 * 0. Sentinels discover it when they next query the primary; layers still get the old number of
 * replicas. When the fault heals, the replica is stopped, and the Sentinels are reset so that they
 * forget it.
 */
export const machineAdded: Fault = {
  kind: 'machine-added',
  store: 'redis',
  about: 'an extra replica, unknown to Sentinels and layers, is attached and removed later',
  delays: 'none',
  needs: 'a server that is not running yet (`redis.spares`)',
  canStrike: ({ redis }: Plan) => redis?.shards === undefined && (redis?.spares ?? 0) > 0,
  draw: (scope) =>
    fc.record({
      kind: fc.constant('machine-added'),
      when: fc.oneof(atTime(scope), atBoundary(scope, ['command-executed', 'effect-unsent', 'effect-applied'])),
      healAfterMs: durationMs(),
    }),
  strike({ store }, _fault, event) {
    const machine = store.machines.find(({ isSpare, up }) => isSpare && !up)
    if (machine === undefined) return null
    return {
      action: { do: 'add-machine', machine: machine.name },
      node: machine.name,
      sentence: `${machine.name} is attached to ${store.primary.name} unannounced${whereText(event)}`,
      heal: () => ({
        action: { do: 'remove-machine', machine: machine.name },
        sentence: `${machine.name} is removed`,
      }),
    }
  },
}
