import fc from 'fast-check'
import type { Plan, PlannedFault } from '../../contract/api/plan.ts'
import { exactText } from '../../contract/results/time-text.ts'
import { whereText } from '../../contract/results/where-text.ts'
import type { StoreMachine } from '../ports.ts'
import { atBoundary, atTime, durationMs, type Fault, type FaultView } from './fault.ts'

const whom = ['primary', 'replica', 'sentinel'] as const
const from = ['servers', 'machines', 'everybody'] as const

/**
 * Cuts off a machine of the Redis deployment. `servers`: from the other servers; the replicas of a
 * primary then fall behind. `machines`: from the Sentinels as well, which then replace a primary
 * although it still serves its clients. `everybody`: from consumers as well; the machine then seems
 * to all of them to have crashed.
 */
export const machineCutOff: Fault = {
  kind: 'machine-cut-off',
  store: 'redis',
  about: 'a primary, a replica or a Sentinel is cut off from the other servers, from all machines, or from clients too',
  delays: 'all',
  needs: 'another machine, and a machine of that role to cut off',
  canStrike: hasOtherMachines,
  draw: (scope) =>
    fc.record({
      kind: fc.constant('machine-cut-off'),
      when: fc.oneof(atTime(scope), atBoundary(scope, ['command-executed', 'effect-unsent', 'effect-applied'])),
      who: fc.constantFrom(...whom),
      which: fc.nat({ max: 2 }),
      from: fc.constantFrom(...from),
      withReplica: fc.boolean(),
      healAfterMs: durationMs(),
    }),
  strike(view, fault, event) {
    const machine = machineOf(view, String(fault.who), Number(fault.which))
    if (machine === null) return null
    const together = cutOffTogether(view, machine, fault)
    const machines = together.map(({ name }) => name)
    const others = view.store.machines
      .filter(({ name, runs }) => !machines.includes(name) && (fault.from !== 'servers' || runs === 'redis'))
      .map(({ name }) => name)
    const cut = { machines, others, consumersToo: fault.from === 'everybody' }
    const ends = { servers: 'the other servers', machines: 'all other machines', everybody: 'all machines and clients' }
    const names = together.length === 1 ? `${machine.name} is` : `${together.map(({ name }) => name).join(' and ')} are`
    const end = ends[fault.from as keyof typeof ends]
    return {
      action: { do: 'cut-off', ...cut },
      sentence: `${names} cut off from ${end}${whereText(event)}, for ${exactText(Number(fault.healAfterMs))}`,
      heal: () => ({ action: { do: 'rejoin', ...cut }, sentence: `${machine.name} reaches ${end} again` }),
    }
  },
}

/**
 * With `withReplica`, a primary is cut off together with one of several replicas, which may be a
 * spare one. The two still reach each other.
 */
function cutOffTogether({ store }: FaultView, machine: StoreMachine, fault: PlannedFault): readonly StoreMachine[] {
  if (fault.withReplica !== true || machine.name !== store.primary.name) return [machine]
  const replicas = store.machines.filter(({ runs, name }) => runs === 'redis' && name !== machine.name)
  return replicas.length < 2 ? [machine] : [machine, replicas[Number(fault.which) % replicas.length]!]
}

/** True if the deployment has more than one machine. */
export function hasOtherMachines({ redis }: Plan): boolean {
  return redis !== undefined && (redis.shards ?? 1) * (1 + redis.replicas) + redis.sentinels > 1
}

/** Selects a machine by its current role, without spare replicas; null if no machine has it. */
export function machineOf({ store }: FaultView, who: string, which: number): StoreMachine | null {
  if (who === 'primary') return store.machines.length === 1 ? null : store.primary
  const runs = who === 'sentinel' ? 'sentinel' : 'redis'
  const some = store.machines.filter(
    (machine) => machine.runs === runs && !machine.isSpare && machine.name !== store.primary.name,
  )
  return some[which % some.length] ?? null
}
