/**
 * The gates at which consumer processes wait for the harness. The runner decides which traffic may
 * pass.
 */
import type { Boundary } from '../../contract/api/plan.ts'
import { slotOf } from '../../contract/api/plan.ts'
import type { SinkQuestion } from '../../contract/results/step.ts'
import type { FlowDirection } from '../../run/actions.ts'
import type { Armed } from '../../run/boundaries.ts'
import type { Decision } from '../../run/boundary-event.ts'
import type { MaybePromise } from '../../run/maybe-promise.ts'
import { eventOf, type Runner } from '../../run/runner.ts'
import type { SinkReply } from '../../run/sink/sink-errors.ts'
import type { FaultEvidence } from '../evidence/fault-evidence.ts'
import type { ProxiedLink } from '../proxy/proxied-link.ts'
import type { PerformRequest } from '../sink/service.ts'
import type { ConsumerProcess } from './consumer-process.ts'
import { strikesReply } from './live-faults.ts'
import type { BegunConnection, ConsumerGate, FromConsumer } from './protocol.ts'
import type { LiveRecorder } from './recorder.ts'
import { SentRequests } from './sent-requests.ts'

interface GateSetting {
  readonly runner: () => Runner<ConsumerProcess>
  readonly recorder: LiveRecorder
  readonly evidence: Pick<FaultEvidence, 'loses'>
  /** True if the server behind the slot's link of that port is up. */
  readonly isUp: (slot: number, port: number) => boolean
  /** Returns the slot's link of that port. */
  readonly linkOf: (slot: number, port: number) => ProxiedLink
  readonly failed: (error: unknown) => void
}

/** Decides what happens at gates. */
export interface RunGates {
  open(process: ConsumerProcess, message: Extract<FromConsumer, { type: 'gate' }>): Promise<void>
  /** Returns the process that sent the request to the sink. */
  senderOf(requestId: number): ConsumerProcess | undefined
  /** Called when the request has reached the sink. */
  arrived(process: ConsumerProcess, request: PerformRequest, reply: (reply: SinkReply) => void): void
  /**
   * Called when the process asked the sink a question, which `work` answers. The result may never
   * settle.
   */
  asked<T>(process: ConsumerProcess, question: SinkQuestion, work: () => MaybePromise<T>): MaybePromise<T>
  /** Called when a reply to a command has reached a process that receives replies one by one. */
  replied(process: ConsumerProcess, message: Extract<FromConsumer, { type: 'replied' }>): void
  /**
   * Called when the slot's PostgreSQL session from that local port is about to end. Settles when it
   * may end.
   */
  sessionEnds(slot: number, localPort: number): Promise<void>
  /**
   * Called in a scheduled run when PostgreSQL ended a statement or a session of the process by its
   * own timeout.
   */
  cutShort(error: string): void
  /**
   * Called when a connection of the process to Redis has closed. `unheard` identifies it if the
   * process had received nothing on it.
   */
  connectionClosed(process: ConsumerProcess, connection: number, unheard?: BegunConnection): void
}

export class Gates implements RunGates {
  /**
   * By process and command: the faults that strike once the reply has arrived, and their crash
   * point.
   */
  readonly #uponReply = new Map<string, { readonly point: string | null; readonly armed: readonly Armed[] }>()
  readonly #requests: SentRequests
  /** By process and connection: functions to call when the connection to Redis closes. */
  readonly #closings = new Map<string, (() => void)[]>()

  constructor(private readonly setting: GateSetting) {
    this.#requests = new SentRequests(setting.runner)
  }

  async open(process: ConsumerProcess, { gate, where }: Extract<FromConsumer, { type: 'gate' }>): Promise<void> {
    const go = (on: boolean, requestId = 0, instead: SinkReply | null = null) =>
      process.send({ type: 'go', gate, drop: !on, requestId, ...(instead === null ? {} : { instead }) })
    if (where.at === 'effect-unsent') {
      const { requestId, sent, instead } = await this.#requests.send(process, where)
      return go(goesOn(process, sent), requestId, instead)
    }
    if (
      where.at === 'connecting' ||
      where.at === 'leaving' ||
      where.at === 'heard' ||
      where.at === 'asking' ||
      where.at === 'told' ||
      where.at === 'sink-unasked'
    )
      throw new Error(`${process.name} waits for a schedule, but its run has none`)
    if (where.at === 'effect-answered') return go(await this.#passes(process, 'effect-answered', null))
    if (where.at === 'command-unsent') return go(await this.#commandLeaves(process, where))
    const step = commandName(process, where.command)
    const { point, armed } = this.#uponReply.get(step) ?? { point: null, armed: [] }
    this.#uponReply.delete(step)
    await this.setting.runner().strikeAll(armed, point, eventOf(process, 'command-executed', where.label))
    // If a fault has just stopped the server, the reply counts as never sent.
    if (armed.length > 0 && where.port !== undefined && !this.setting.isUp(process.slot, where.port)) return go(false)
    go(await this.#passes(process, 'reply-received', where.label))
  }

  senderOf(requestId: number): ConsumerProcess | undefined {
    return this.#requests.senderOf(requestId)
  }

  arrived(process: ConsumerProcess, request: PerformRequest, reply: (reply: SinkReply) => void): void {
    this.setting.runner().effects.arrived(process, request, reply)
  }

  asked<T>(_: ConsumerProcess, __: SinkQuestion, work: () => MaybePromise<T>): MaybePromise<T> {
    return work()
  }

  replied({ name }: ConsumerProcess): void {
    throw new Error(`${name} waits for replies one by one, but its run has no schedule`)
  }

  async sessionEnds(): Promise<void> {}

  cutShort(): void {}

  async #passes(process: ConsumerProcess, boundary: Boundary, label: string | null): Promise<boolean> {
    return goesOn(process, await this.setting.runner().pass(process, boundary, label))
  }

  /**
   * Decides about a command. A fault between a command and its reply must be in place before the
   * command is sent. Other faults wait for the reply.
   */
  async #commandLeaves(process: ConsumerProcess, leaving: Leaving): Promise<boolean> {
    const { command, label, redisKey } = leaving
    const runner = this.setting.runner()
    if (!goesOn(process, await runner.pass(process, 'command-unsent', label, undefined, redisKey))) return false
    await runs(process)
    const inFlight = runner.arrive(process, 'command-unexecuted', label, undefined, redisKey)
    const request = await runner.strikeAll(
      inFlight.armed,
      inFlight.point,
      eventOf(process, 'command-unexecuted', label),
    )
    // The fault that ended the process also ended its command.
    if (hasEnded(process)) return false
    await runs(process)
    if (request.verdict === 'drop') await this.#loseNext(process, leaving, 'to-node', inFlight.armed)
    const { point, armed } = runner.arrive(process, 'command-executed', label, undefined, redisKey)
    const ahead = armed.filter(({ fault }) => strikesReply(fault))
    const reply = await runner.strikeAll(ahead, point, eventOf(process, 'command-executed', label))
    if (reply.verdict === 'drop') await this.#loseNext(process, leaving, 'to-process', ahead)
    const later = armed.filter((one) => !ahead.includes(one))
    if (later.length > 0) this.#uponReply.set(commandName(process, command), { point, armed: later })
    return !hasEnded(process)
  }

  /**
   * Loses the bytes of the command or of its reply, and resets the connection. This applies until
   * that connection has closed. If the proxy cannot distinguish the process's connections, the
   * process may use another one first, which is then reset, too.
   */
  async #loseNext(
    process: ConsumerProcess,
    { command, label, connection, port, localPort }: Leaving,
    direction: FlowDirection,
    armed: readonly Armed[],
  ): Promise<void> {
    const link = this.setting.linkOf(process.slot, port)
    const only = link.connections?.find(({ from }) => from === localPort)
    const resetting = (only ?? link).resetNext(direction)
    const once = (): void => void resetting.then((takeBack) => takeBack()).catch(this.setting.failed)
    // The function is registered before the proxy has answered, because the connection may close
    // meanwhile.
    const closing = connectionName(process, connection)
    this.#closings.set(closing, [...(this.#closings.get(closing) ?? []), once])
    void process.gone.then(once)
    await resetting
    const [type, kind] = direction === 'to-node' ? lostRequest : lostReply
    const fact = this.setting.recorder.fact({ type, process: process.name, command: label })
    const lost = { process: process.name, command, label }
    for (const { index, fault } of armed) if (fault.kind === kind) this.setting.evidence.loses(index, lost, fact)
  }

  connectionClosed(process: ConsumerProcess, connection: number): void {
    const closing = connectionName(process, connection)
    for (const work of this.#closings.get(closing) ?? []) work()
    this.#closings.delete(closing)
  }
}

type Leaving = Extract<ConsumerGate, { at: 'command-unsent' }>

const lostRequest = ['request-lost', 'lost-request'] as const
const lostReply = ['reply-lost', 'lost-reply'] as const

/** Names that are unique among all processes of a run. */
export const commandName = ({ name }: ConsumerProcess, command: number): string => `${name} ${command}`
export const connectionName = ({ name }: ConsumerProcess, connection: number): string => `${name} ${connection}`

/**
 * Resolves when the process is running; never if it ends meanwhile. A stopped process sends its
 * command after it resumes.
 */
const runs = (process: ConsumerProcess): Promise<void> => new Promise((resolve) => process.whenRunning(resolve))

const hasEnded = ({ state }: ConsumerProcess): boolean => state === 'ended'

const goesOn = (process: ConsumerProcess, { verdict }: Decision): boolean => verdict === 'pass' && !hasEnded(process)

/** True if a fault is planned for a boundary of this slot's commands. */
export function watchesCommands(armed: readonly Armed[], slot: number): boolean {
  return armed.some(
    ({ fault }) =>
      (fault.when.at.startsWith('command-') || fault.when.at === 'reply-received') &&
      (fault.aim !== undefined || ('of' in fault.when && fault.when.of !== undefined) || slotOf(fault) === slot),
  )
}
