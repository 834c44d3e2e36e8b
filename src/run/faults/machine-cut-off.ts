import fc from 'fast-check'
import type { Plan, PlannedFault } from '../../contract/plan.ts'
import { whereText } from '../../contract/where-text.ts'
import { atBoundary, atTime, durationMs, type Fault, type FaultTarget, type MachineTarget } from './fault.ts'

const whom = ['primary', 'replica', 'sentinel'] as const
const from = ['servers', 'machines', 'everybody'] as const

/**
 * A machine of the Redis deployment is cut off. From the other servers: a primary's replicas fall behind. From the
 * Sentinels too: they replace a primary that goes on serving its clients. From everybody: it is as good as dead.
 */
export const machineCutOff: Fault = {
  kind: 'machine-cut-off',
  about: 'a primary, a replica or a Sentinel is cut off from the other servers, from all machines, or from everybody',
  needs: 'another machine in the deployment, and one of that sort to cut off',
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
  strike(target, fault, passing) {
    const machine = machineOf(target, String(fault.who), Number(fault.which))
    if (machine === null) return null
    const together = cutOffTogether(target, machine, fault)
    const others = target.machines.filter(
      (other) => !together.includes(other) && (fault.from !== 'servers' || other.runs === 'redis'),
    )
    const directions = together.flatMap((one) => [
      ...others.flatMap((other) => [
        target.network.way(one.name, other.name),
        target.network.way(other.name, one.name),
      ]),
      ...(fault.from === 'everybody' ? fromConsumers(target, one) : []),
    ])
    if (directions.every(({ blocked }) => blocked)) return null
    for (const direction of directions) direction.block()
    const ends = { servers: 'the other servers', machines: 'all other machines', everybody: 'everybody' }
    const names = together.length === 1 ? `${machine.name} is` : `${together.map(({ name }) => name).join(' and ')} are`
    const end = ends[fault.from as keyof typeof ends]
    return {
      sentence: `${names} cut off from ${end}${whereText(passing)}, for ${fault.healAfterMs} ms`,
      heal() {
        for (const direction of directions) direction.unblock()
        return `${machine.name} reaches ${end} again`
      },
    }
  },
}

/** A primary takes one of several replicas along: the two of them still reach each other. */
function cutOffTogether(target: FaultTarget, machine: MachineTarget, fault: PlannedFault): readonly MachineTarget[] {
  if (fault.withReplica !== true || machine !== target.redis) return [machine]
  const replicas = target.machines.filter(({ runs, name }) => runs === 'redis' && name !== machine.name)
  return replicas.length < 2 ? [machine] : [machine, replicas[Number(fault.which) % replicas.length]!]
}

function fromConsumers({ network, consumers }: FaultTarget, { name }: MachineTarget) {
  return Array.from({ length: consumers }, (_, slot) => network.link(slot, name)).flatMap(({ toNode, toProcess }) => [
    toNode,
    toProcess,
  ])
}

/** Whether the primary is not alone. */
export function hasOtherMachines({ redis }: Plan): boolean {
  return redis !== undefined && (redis.shards ?? 1) * (1 + redis.replicas) + redis.sentinels > 1
}

/** By what it is at the moment; null where the deployment has none. */
export function machineOf(target: FaultTarget, who: string, which: number): MachineTarget | null {
  if (who === 'primary') return target.machines.length === 1 ? null : target.redis
  const runs = who === 'sentinel' ? 'sentinel' : 'redis'
  const some = target.machines.filter((machine) => machine.runs === runs && machine.name !== target.redis.name)
  return some[which % some.length] ?? null
}
