import type { Boundary, Plan } from '../../contract/plan.ts'
import type { Ruling } from '../../run/boundary-event.ts'
import type { Limits } from '../../run/limits.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { MachineClock } from '../kernel/machine-clock.ts'
import type { Reply } from '../lua/reply.ts'
import type { Network } from '../network/network.ts'
import type { VirtualProcess } from '../runtime/process.ts'
import type { Recorder } from './recorder.ts'

/** What the parts of one run share. */
export interface World {
  readonly plan: Plan
  readonly epochMs: number
  readonly kernel: Kernel<VirtualProcess>
  readonly network: Network
  readonly recorder: Recorder
  /** The clocks of a consumer slot's machine, or of the Redis server's (-1). */
  clock(machine: number): MachineClock
  /**
   * Something of `process` passes a boundary; planned faults strike here. `sinceUs`: when the delivery that it is about
   * was received, where that is known; else the oldest that the process is handling is taken.
   */
  pass(process: VirtualProcess, boundary: Boundary, label: string | null, sinceUs?: number): Ruling
  /** One step of the schedule: who, what, with which outcome; times left out. */
  schedule(process: VirtualProcess, what: string, outcome: Reply): void
  /** `node` is told where there are several. */
  traceCommand(process: VirtualProcess, args: readonly string[], reply: Reply, node: string | null): void
  /** Whether what happens to that process belongs into the history. */
  isRecorded(process: VirtualProcess): boolean
  readonly limits: Limits
  /** Whether a poisonous key does its harm this time. */
  isPoisonous(key: string, how: 'kills' | 'sink-fails'): boolean
  /** Runs code of ours in a turn of the layer's: what it throws is a bug of ours, and ends the run as one. */
  guardHarnessCode<T>(work: () => T): T
  unsupported(what: string): void
}
