import type { Reply } from 'redis-sim/resp'
import type { MachineClock } from 'virtual-node/kernel'
import { Choices, Kernel } from 'virtual-node/kernel'
import { Network } from 'virtual-node/network'
import type { VirtualProcess } from 'virtual-node/runtime'
import { CallOrigins, turns } from 'virtual-node/runtime'
import { canonicalJson } from '../../contract/api/json.ts'
import type { Boundary, Plan } from '../../contract/api/plan.ts'
import type { Heard } from '../../contract/results/step.ts'
import type { Decision } from '../../run/boundary-event.ts'
import { postgresClock } from '../../run/faults/machine.ts'
import { Limits } from '../../run/limits.ts'
import type { MaybePromise } from '../../run/maybe-promise.ts'
import type { Runner } from '../../run/runner.ts'
import { withLeaseFor } from '../../run/shortest-lease.ts'
import { FirstError } from './first-error.ts'
import { Journal, type TracedCommand } from './journal.ts'
import { MachineClocks } from './machine-clocks.ts'
import type { Observer } from './observer.ts'
import { Recorder } from './recorder.ts'
import { placedServers } from './redis-layout.ts'
import type { WorldRequest } from './request.ts'
import { ScheduleRecorder } from './schedule-recorder.ts'
import { SentCommands } from './sent-commands.ts'
import { ServersAhead } from './servers-ahead.ts'

/** What the parts of one simulated run share. `createRun` puts them together. */
export class World {
  readonly plan: Plan
  readonly kernel: Kernel<VirtualProcess>
  readonly network: Network
  readonly recorder: Recorder
  readonly limits: Limits
  readonly journal: Journal
  readonly clocks: MachineClocks
  readonly observers: Observer[] = []
  /** Null if no steps are written down. */
  readonly scheduleRecorder: ScheduleRecorder | null
  /** For what commands were sent; null if the run is not recorded. */
  readonly sent: SentCommands | null
  readonly serversAhead: ServersAhead
  /** Null if the run does not show whether the layer works. */
  readonly firstError: FirstError | null
  /** The layer has its transactions ended if their client is silent. */
  readonly limitsTransactions: boolean
  readonly unsupportedSet = new Set<string>()
  /** There once all that it drives is. */
  runner!: Runner<VirtualProcess>
  /** What code of ours threw in a turn of the layer's. */
  bug: unknown = null

  constructor(
    request: WorldRequest,
    readonly epochMs: number,
  ) {
    // The order of members differs in a plan of a token. What a layer hashes must not depend on it.
    const planText = canonicalJson(request.plan)
    this.plan = withLeaseFor(request.implementation.implementation, JSON.parse(planText))
    this.limits = new Limits(this.plan.leaseMs)
    const kernel = new Kernel(new Choices(request.choices), turns)
    this.kernel = kernel
    const { choices } = kernel
    choices.digest.text(planText)
    choices.keeps = request.keepChoices === true
    this.recorder = new Recorder(() => this.runner.planUs, choices.digest, request.record)
    const { events } = this.recorder
    this.network = new Network(kernel)
    this.clocks = new MachineClocks(() => kernel.nowUs, epochMs)
    this.journal = new Journal(this.recorder)
    const { sources } = request.implementation
    this.limitsTransactions = request.implementation.implementation.has?.includes('transaction-limit') ?? false
    const origins = request.positions && sources !== undefined ? new CallOrigins(sources) : null
    this.sent = request.record ? new SentCommands(origins, kernel) : null
    this.firstError = request.mustWork ? new FirstError(sources) : null
    this.scheduleRecorder = request.schedule ? new ScheduleRecorder(() => kernel.nowUs, events) : null
    const servers = [...placedServers(this.plan.redis).map((_, at) => -1 - at), postgresClock]
    this.serversAhead = new ServersAhead(
      request.serversAheadMs ?? [],
      servers.map((machine) => this.clock(machine)),
    )
  }

  /** The clocks of a consumer slot's machine, or of the Redis servers' (from -1 downwards). */
  clock(machine: number): MachineClock {
    return this.clocks.of(machine)
  }

  /** A step of `process` passes a boundary (`Runner.pass`). */
  pass(
    process: VirtualProcess,
    boundary: Boundary,
    label: string | null,
    sinceUs?: number,
    redisKey?: string,
    hungUp?: boolean,
  ): Decision {
    // Not by guardHarnessCode: every step passes here.
    try {
      return this.now(this.runner.pass(process, boundary, label, sinceUs, redisKey, hungUp))
    } catch (error) {
      this.bug ??= error
      throw error
    }
  }

  /** The process hears what answers none of its commands (`Runner.heard`). */
  heard(process: VirtualProcess, what: Heard, connection: number, server: string | null): void {
    this.now(this.runner.heard(process, what, () => connection, server))
  }

  /** Whether `pass` wants to know the first Redis key that a command names. */
  get wantsKeys(): boolean {
    return this.runner.wantsKeys
  }

  /** The message's key that a statement of these values is about (`Runner.keyIn`). */
  keyIn(values: string | undefined): string | undefined {
    return this.runner.keyIn(values)
  }

  /** What the runner gave back: in virtual time, everything is there at once. */
  now<T>(value: MaybePromise<T>): T {
    if (value instanceof Promise) throw new Error('a simulated host must answer at once')
    return value
  }

  /** One step of the schedule: who, what, with which reply; times left out. */
  schedule(
    process: VirtualProcess,
    label: string,
    args: readonly string[],
    reply: Reply,
    delivery: number | null = null,
  ): void {
    this.journal.step(process, label, args, reply, delivery)
  }

  traceCommand(process: VirtualProcess, traced: TracedCommand): void {
    if (this.isRecorded(process)) this.journal.trace(process, traced)
  }

  /** Whether the history has what happens to that process. Not so for that of a deployment. */
  isRecorded(process: VirtualProcess): boolean {
    return this.runner.isConsumer(process)
  }

  /** Runs code of the harness in a turn of the layer: its error is our bug, and ends the run. */
  guardHarnessCode<T>(work: () => T): T {
    try {
      return work()
    } catch (error) {
      this.bug ??= error
      throw error
    }
  }

  unsupported(what: string): void {
    if (this.unsupportedSet.has(what)) return
    this.unsupportedSet.add(what)
    this.recorder.fact({ type: 'unsupported', what })
  }
}
