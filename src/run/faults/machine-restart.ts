import fc from 'fast-check'
import { whereText } from '../../contract/results/where-text.ts'
import { atBoundary, atTime, durationMs, type Fault } from './fault.ts'
import { hasOtherMachines, machineOf } from './machine-cut-off.ts'

/**
 * A replica or a Sentinel crashes and restarts: a replica with the data on its disk, a Sentinel
 * with its old state. With `diskLost` (a container without a volume), the replica keeps only its
 * configuration.
 */
export const machineRestart: Fault = {
  kind: 'machine-restart',
  store: 'redis',
  about: 'a replica or a Sentinel dies, and restarts later with the data on its disk',
  delays: 'all',
  needs: 'a replica or a Sentinel that is up',
  canStrike: hasOtherMachines,
  draw: (scope) =>
    fc.record({
      kind: fc.constant('machine-restart'),
      when: fc.oneof(atTime(scope), atBoundary(scope, ['command-executed', 'effect-unsent', 'effect-applied'])),
      who: fc.constantFrom('replica', 'sentinel'),
      which: fc.nat({ max: 2 }),
      healAfterMs: durationMs(),
    }),
  strike(view, fault, event) {
    const machine = machineOf(view, String(fault.who), Number(fault.which))
    if (machine === null || !machine.up) return null
    const bare = fault.diskLost === true && machine.runs === 'redis'
    return {
      action: { do: 'stop-machine', machine: machine.name, withDisk: bare },
      node: machine.name,
      sentence: `${machine.name} dies${bare ? ' with its disk' : ''}${whereText(event)}`,
      heal: () => ({ action: { do: 'start-machine', machine: machine.name }, sentence: `${machine.name} is back` }),
    }
  },
}
