import type { Reply } from 'redis-sim/resp'
import type { Kernel, MachineClock } from 'virtual-node/kernel'
import type { Network } from 'virtual-node/network'
import type { VirtualProcess } from 'virtual-node/runtime'
import type { Boundary, Plan } from '../../contract/api/plan.ts'
import type { Heard } from '../../contract/results/step.ts'
import type { Decision } from '../../run/boundary-event.ts'
import type { Limits } from '../../run/limits.ts'
import type { MaybePromise } from '../../run/maybe-promise.ts'
import type { Camera } from './camera.ts'
import type { TracedCommand } from './journal.ts'
import type { Recorder } from './recorder.ts'
import type { ScriptWriter } from './script-writer.ts'
import type { SentCommands } from './sent-commands.ts'
import type { ServersAhead } from './servers-ahead.ts'

/** What the parts of one simulated run share. */
export interface World {
  readonly plan: Plan
  readonly epochMs: number
  readonly kernel: Kernel<VirtualProcess>
  readonly network: Network
  readonly recorder: Recorder
  /** Null where no steps are written down. */
  readonly script: ScriptWriter | null
  /** Null where servers have the world's time, but for faults. */
  readonly serversAhead: ServersAhead | null
  /** The clocks of a consumer slot's machine, or of the Redis servers' (from -1 downwards). */
  clock(machine: number): MachineClock
  /** A step of `process` passes a boundary (`Conductor.pass`). */
  pass(
    process: VirtualProcess,
    boundary: Boundary,
    label: string | null,
    sinceUs?: number,
    redisKey?: string,
    hungUp?: boolean,
  ): Decision
  /** The process hears what answers none of its commands (`Conductor.heard`). */
  heard(process: VirtualProcess, what: Heard, connection: number, server: string | null): void
  /** Whether `pass` wants to know the first Redis key that a command names. */
  readonly wantsKeys: boolean
  /** The message's key that a statement of these values is about (`Conductor.keyIn`). */
  keyIn(values: string | undefined): string | undefined
  /** What the conductor gave back: in virtual time, everything is there at once. */
  now<T>(value: MaybePromise<T>): T
  /** One step of the schedule: who, what, with which reply; times left out. */
  schedule(process: VirtualProcess, label: string, args: readonly string[], reply: Reply): void
  traceCommand(process: VirtualProcess, traced: TracedCommand): void
  /** Whether what happens to that process belongs into the history: not for the one-off process of a deployment. */
  isRecorded(process: VirtualProcess): boolean
  readonly limits: Limits
  /** Null where nobody films. */
  readonly camera: Camera | null
  /** Where in the layer's sources commands come from; null where nobody asked for it. */
  readonly sent: SentCommands | null
  /** Runs code of the harness in a turn of the layer's: what it throws is a bug of ours, and ends the run as one. */
  guardHarnessCode<T>(work: () => T): T
  unsupported(what: string): void
}
