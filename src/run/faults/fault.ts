import fc from 'fast-check'
import { type Boundary, type Plan, type PlannedFault, slotOf, type Trigger } from '../../contract/plan.ts'
import type { MachineClock } from '../../sim/kernel/machine-clock.ts'
import type { Link } from '../../sim/network/link.ts'
import type { Network } from '../../sim/network/network.ts'
import type { VirtualProcess } from '../../sim/runtime/process.ts'
import type { Passing } from '../boundary-event.ts'
import type { Broker } from '../broker.ts'

/** The world as faults reach into it. */
export interface FaultTarget {
  readonly network: Network
  /** Consumer slots. */
  readonly consumers: number
  readonly broker: Broker<VirtualProcess>
  /** The primary. */
  readonly redis: RedisTarget
  /** All machines of the Redis deployment: servers, then Sentinels. */
  readonly machines: readonly MachineTarget[]
  /** What connects a consumer slot with `redis` (each machine of the deployment), the sink or the broker. */
  links(slot: number, node: string): readonly Link[]
  /** The clocks of a consumer slot's machine, or of the Redis server's (-1). */
  clock(machine: number): MachineClock
  /** Whether host names resolve from now on; false when that changes nothing. */
  names(resolve: boolean): boolean
  /** The key of one of the plan's messages. */
  keyOf(messageIndex: number): string | null
  /** From now on that key does harm, so many times. */
  poison(key: string, how: 'kills' | 'sink-fails', times: number): void
  /** The process that lives in a slot, paused or running; null when none does. */
  running(slot: number): VirtualProcess | null
  crash(process: VirtualProcess): void
  restart(slot: number): VirtualProcess
  pause(process: VirtualProcess): void
  resume(process: VirtualProcess): void
}

/** A machine of the Redis deployment as faults reach into it. */
export interface MachineTarget {
  readonly name: string
  readonly runs: 'redis' | 'sentinel'
  readonly up: boolean
  /** Dies: connections are reset, new ones refused, data in memory and scripts gone; with its disk, those on it too. */
  stop(withDisk?: boolean): void
  /** Comes back with what its disk has kept. */
  start(): void
}

/**
 * The Redis server as faults reach into it. What is switched on answers false when it was on before: a fault must not
 * heal what another one did.
 */
export interface RedisTarget extends MachineTarget {
  /** Whether any data outlives the process. */
  readonly hasDisk: boolean
  flushAll(): void
  /** Changes maxmemory-policy to one that evicts, and evicts some keys. */
  evict(): boolean
  stopEvicting(): void
  flushScripts(): void
  /** Executes nothing while on. */
  stall(on: boolean): boolean
  trouble(what: 'outOfMemory' | 'loading' | 'busy' | 'connectionsExhausted', on: boolean): boolean
}

/** What a fault did: its sentence for a person, and how it is healed. */
export interface Struck {
  readonly sentence: string
  readonly process?: string
  /** The machine of the Redis deployment that it befell. */
  readonly node?: string
  /** Undoes it; answers the sentence. Absent where there is nothing to undo. */
  readonly heal?: () => string
}

/** What the drawing of a fault may lean on. */
export interface Scope {
  readonly consumers: number
  /** The stretch of virtual time in which the workload is under way. */
  readonly spanMs: number
}

/** One kind of fault: how it is drawn, injected, healed and told in a sentence. */
export interface Fault {
  readonly kind: string
  /** One sentence: what happens, as a person would say it. */
  readonly about: string
  /** What must be there for it to strike: the rest of "it needs …". */
  readonly needs: string
  /** Whether a run of that plan can have what it needs. Absent: any run can. */
  canStrike?(plan: Plan, fault: PlannedFault): boolean
  draw(scope: Scope): fc.Arbitrary<PlannedFault>
  /** Null when there is nothing to strike: the process is gone, no connection is open, it is so already. */
  strike(target: FaultTarget, fault: PlannedFault, passing: Passing | null): Struck | null
}

/** A consumer slot passing one of `boundaries` for the first to eighth time; few runs pass one more than twice. */
export function atBoundary({ consumers }: Scope, boundaries: readonly Boundary[]): fc.Arbitrary<Trigger> {
  const consumer = fc.nat({ max: consumers - 1 })
  const nth = fc.oneof(fc.integer({ min: 1, max: 2 }), fc.integer({ min: 1, max: 8 }))
  return fc.record({ at: fc.constantFrom(...boundaries), consumer, nth })
}

/** For kinds that strike what passes a boundary: at a time there is nothing to strike. */
export function isAtBoundary(_plan: Plan, { when }: PlannedFault): boolean {
  return when.at !== 'time'
}

export function atTime({ spanMs }: Scope): fc.Arbitrary<Trigger> {
  return fc.record({ at: fc.constant('time' as const), ms: fc.nat({ max: spanMs }) })
}

/** Short, middling and long: bugs live on all three scales. In milliseconds. */
export function durationMs(): fc.Arbitrary<number> {
  return fc.oneof(
    { withCrossShrink: true },
    fc.integer({ min: 1, max: 50 }),
    fc.integer({ min: 51, max: 2000 }),
    fc.integer({ min: 2001, max: 30_000 }),
  )
}

/** The process that a fault is aimed at: who passes the boundary, or who lives in the slot; null when it is gone. */
export function victim(target: FaultTarget, fault: PlannedFault, passing: Passing | null): VirtualProcess | null {
  const process = passing === null ? target.running(slotOf(fault)) : passing.process
  return process === null || process.state === 'ended' ? null : process
}
