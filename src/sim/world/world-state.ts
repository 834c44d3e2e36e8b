import type { Reply } from 'redis-sim/resp'
import type { MachineClock } from 'virtual-node/kernel'
import { Choices, Journeys, Kernel } from 'virtual-node/kernel'
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

/** State that the parts of one simulated run share. `createRun` puts the parts together. */
export class World {
  readonly plan: Plan
  readonly kernel: Kernel<VirtualProcess>
  readonly network: Network
  readonly recorder: Recorder
  readonly limits: Limits
  readonly journal: Journal
  readonly clocks: MachineClocks
  readonly observers: Observer[] = []
  /** Null if steps are not recorded. */
  readonly scheduleRecorder: ScheduleRecorder | null
  /** The origins of commands; null if the run is not recorded. */
  readonly sent: SentCommands | null
  readonly serversAhead: ServersAhead
  /** Null if the run does not show whether the layer works. */
  readonly firstError: FirstError | null
  /** True if the layer makes the server end transactions whose client is silent. */
  readonly limitsTransactions: boolean
  /** The messages of the run; null if they are not recorded. */
  readonly journeys: Journeys | null
  readonly unsupportedSet = new Set<string>()
  /** Set when all parts that the runner drives exist. */
  runner!: Runner<VirtualProcess>
  /** The error of harness code in a turn of the layer. */
  bug: unknown = null

  constructor(
    request: WorldRequest,
    readonly epochMs: number,
  ) {
    // A plan from a token may have its members in another order. Data that a layer hashes must not
    // depend on the order.
    const planText = canonicalJson(request.plan)
    this.plan = withLeaseFor(request.implementation.implementation, JSON.parse(planText))
    this.limits = new Limits(this.plan.leaseMs)
    const kernel = new Kernel(new Choices(request.choices), turns)
    this.kernel = kernel
    const { choices } = kernel
    choices.digest.text(planText)
    choices.keeps = request.keepChoices === true
    choices.journeys = this.journeys = request.journeys === true ? new Journeys() : null
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

  /** The clock of a consumer slot's machine, or of a server (from -1 downwards). */
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
    // Does not call `guardHarnessCode`, to be fast: every step passes here.
    try {
      return this.now(this.runner.pass(process, boundary, label, sinceUs, redisKey, hungUp))
    } catch (error) {
      this.bug ??= error
      throw error
    }
  }

  /** The process receives data that is not the reply to one of its commands (`Runner.heard`). */
  heard(process: VirtualProcess, what: Heard, connection: number, server: string | null): void {
    this.now(this.runner.heard(process, what, () => connection, server))
  }

  /** True if `pass` needs the first Redis key that a command names. */
  get wantsKeys(): boolean {
    return this.runner.wantsKeys
  }

  /** The message key that a statement with these values is about (`Runner.keyIn`). */
  keyIn(values: string | undefined): string | undefined {
    return this.runner.keyIn(values)
  }

  /** Unwraps a result of the runner. In virtual time, every result is available at once. */
  now<T>(value: MaybePromise<T>): T {
    if (value instanceof Promise) throw new Error('a simulated host must answer at once')
    return value
  }

  /** One step of the schedule: process, command and reply, without times. */
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

  /** True if the history includes events of the process; false for a deployment. */
  isRecorded(process: VirtualProcess): boolean {
    return this.runner.isConsumer(process)
  }

  /**
   * Runs harness code in a turn of the layer. An error that it throws is a bug of the harness, and
   * ends the run.
   */
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
