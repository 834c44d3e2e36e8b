/** How one kind of planned fault is made in earnest, and when it cannot be. */
import { type Plan, type PlannedFault, slotOf } from '../../contract/plan.ts'
import type { Broker } from '../../run/broker.ts'
import type { Passing } from '../boundaries.ts'
import type { MachineClock } from '../clocks.ts'
import type { ConsumerProcess } from '../consumer-process.ts'
import type { Link } from '../link.ts'
import type { ProxiedLink } from '../proxy/proxied-link.ts'
import type { LiveRecorder } from '../recorder.ts'
import type { LiveServer, Power } from '../servers/live-server.ts'
import type { SentinelBench } from '../servers/sentinel-bench.ts'
import type { LiveTimers } from '../timers.ts'

/** The run as faults reach into it. */
export interface LiveTarget {
  readonly plan: Plan
  readonly broker: Broker<ConsumerProcess>
  readonly server: LiveServer
  /** Where Sentinels watch several servers. */
  readonly bench: SentinelBench | null
  readonly recorder: LiveRecorder
  readonly timers: LiveTimers
  link(slot: number, node: string): Link
  redisLink(slot: number): ProxiedLink
  clock(machine: number): MachineClock
  /** The process that lives in a slot, paused or running; null when none does. */
  running(slot: number): ConsumerProcess | null
  crash(process: ConsumerProcess): void
  restart(slot: number): ConsumerProcess
  pause(process: ConsumerProcess): void
  resume(process: ConsumerProcess): void
  poison(key: string, how: 'kills' | 'sink-fails', times: number): void
  /** Once a connection of the process to Redis has closed, or a moment has passed. */
  whenRedisCloses(process: ConsumerProcess, work: () => Promise<void>): void
}

export interface Struck {
  readonly sentence: string
  readonly process?: string
  /** Undoes it; answers the sentence. */
  readonly heal?: () => string | Promise<string>
}

export interface LiveFault {
  /** What the server must let the harness do. */
  readonly needs?: Power
  /** Why this one cannot be made; null where it can. */
  readonly cannot?: (fault: PlannedFault) => string | null
  /** At `command-executed`: it must be in place before the command leaves, since its reply is what it is about. */
  readonly ahead?: (fault: PlannedFault) => boolean
  /** Null when there is nothing to strike. */
  strike(target: LiveTarget, fault: PlannedFault, passing: Passing | null): Promise<Struck | null>
}

/** The process that a fault is aimed at; null when it is gone. */
export function victim(target: LiveTarget, fault: PlannedFault, passing: Passing | null): ConsumerProcess | null {
  const process = passing === null ? target.running(slotOf(fault)) : passing.process
  return process === null || process.state === 'ended' ? null : process
}

export const consumerName = (slot: number): string => `consumer-${slot + 1}`
