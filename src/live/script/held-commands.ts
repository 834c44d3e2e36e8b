/**
 * The gates of a run that follows a script: each command leaves its process when it is its turn to be executed, and each
 * reply is let in when it was received there. That Redis has executed a command is known by its reply, which has come to the
 * process and waits.
 */
import type { LiveCommand } from '../../contract/script.ts'
import type { Conductor } from '../../run/conductor.ts'
import { arrivalName, settledName } from '../../run/effects.ts'
import { andThen, caught } from '../../run/maybe-promise.ts'
import type { SinkReply } from '../../run/sink/sink-errors.ts'
import { greetingName, passName } from '../../run/steps.ts'
import type { ConsumerProcess } from '../consumer-process.ts'
import { commandName, connectionName, type RunGates } from '../gates.ts'
import type { ConsumerGate, FromConsumer } from '../protocol.ts'
import type { LiveRecorder } from '../recorder.ts'
import { SentRequests } from '../sent-requests.ts'
import type { PerformRequest } from '../sink/service.ts'
import type { Stepper } from './stepper.ts'

type Leaving = Extract<ConsumerGate, { at: 'command-unsent' }>

interface HeldSetting {
  readonly conductor: () => Conductor<ConsumerProcess>
  readonly recorder: LiveRecorder
  readonly stepper: Stepper
  /** Resolves when a connection of that slot gets through to the server behind that port. */
  connects(slot: number, port: number): Promise<void>
  readonly failed: (error: unknown) => void
}

/** What becomes of what waits at a gate. `lost`: it goes no further, and its connection is reset. */
type Fate = 'goes on' | 'lost' | 'drops'

export class HeldCommands implements RunGates {
  readonly executed: LiveCommand[] = []
  readonly #requests: SentRequests
  /** By process and command: how late the run was when it left for Redis. */
  readonly #lateMs = new Map<string, number>()
  /** By process and command: what is known of a reply that has come. */
  readonly #replies = new Map<string, Promise<Fate>>()
  /** By process and connection: the names under which its commands wait to be executed, two of a kind twice. */
  readonly #outgoing = new Map<string, string[]>()
  /** The same for their replies, which wait to be received. */
  readonly #incoming = new Map<string, string[]>()
  /** Connections that their processes have closed. */
  readonly #closed = new Set<string>()
  /** By name of the step that would be it: calls of the sink that may come to nothing. */
  readonly #unanswered = new Map<string, { readonly process: ConsumerProcess; readonly requestId: number }[]>()
  /** Requests that are at the sink, and were not answered. */
  readonly #atSink = new Map<ConsumerProcess, number>()
  /** By name of the step: who waits for a request to be at the sink. */
  readonly #arrivals = new Map<string, (() => void)[]>()

  constructor(private readonly setting: HeldSetting) {
    this.#requests = new SentRequests(setting.conductor)
  }

  async open(process: ConsumerProcess, { gate, where }: Extract<FromConsumer, { type: 'gate' }>): Promise<void> {
    const go = (fate: Fate, requestId = 0) =>
      process.send({ type: 'go', gate, drop: fate !== 'goes on', reset: fate === 'lost', requestId })
    if (where.at === 'effect-unsent') return this.#effect(process, where, go)
    if (where.at === 'greeted') {
      await this.#greeted(process, where)
      return go('goes on')
    }
    if (where.at === 'connecting') {
      await this.setting.connects(process.slot, where.port)
      return go('goes on')
    }
    // It was passed before the answer left.
    if (where.at === 'effect-answered') return go('goes on')
    if (where.at === 'command-unsent') return go(await this.#commandLeaves(process, where))
    go((await this.#replies.get(commandName(process, where.command))) ?? 'goes on')
    this.#replies.delete(commandName(process, where.command))
  }

  senderOf(requestId: number): ConsumerProcess | undefined {
    return this.#requests.senderOf(requestId)
  }

  async #effect(
    process: ConsumerProcess,
    where: Extract<ConsumerGate, { at: 'effect-unsent' }>,
    go: (fate: Fate, requestId: number) => void,
  ): Promise<void> {
    const { key } = where
    const { requestId, sent } = await this.#requests.send(process, where)
    const timedOut = settledName(process, { answer: 'error' }, { key })
    this.#unanswered.set(timedOut, [...(this.#unanswered.get(timedOut) ?? []), { process, requestId }])
    if (sent.verdict !== 'pass' || process.state === 'ended') return go('drops', requestId)
    const name = arrivalName(process, { key })
    // A process that is killed next has sent it before.
    if (this.setting.stepper.expects(name) && process.state === 'running')
      this.setting.stepper.hold(Promise.race([this.#arrival(name), process.gone]))
    go('goes on', requestId)
  }

  #arrival(name: string): Promise<void> {
    return new Promise((resolve) => this.#arrivals.set(name, [...(this.#arrivals.get(name) ?? []), resolve]))
  }

  /** A request is at the sink, where it waits for its turn; its answer leaves when the process received it. */
  arrived(process: ConsumerProcess, request: PerformRequest, reply: (reply: SinkReply) => void): void {
    const conductor = this.setting.conductor()
    this.#atSink.set(process, this.atSink(process) + 1)
    conductor.effects.arrived(process, request, (answer) => {
      if (process.state === 'ended') return
      const received = andThen(conductor.pass(process, 'effect-answered', null), ({ verdict }) => {
        if (verdict !== 'pass') return
        this.#answered(process, request)
        this.#atSink.set(process, this.atSink(process) - 1)
        reply(answer)
      })
      void caught(received, this.setting.failed)
    })
    this.#arrivals.get(arrivalName(process, request))?.shift()?.()
  }

  /** How many requests of the process wait at the sink, some of them for ever. */
  atSink(process: ConsumerProcess): number {
    return this.#atSink.get(process) ?? 0
  }

  #answered(process: ConsumerProcess, { requestId, key }: PerformRequest): void {
    const timedOut = settledName(process, { answer: 'error' }, { key })
    const left = (this.#unanswered.get(timedOut) ?? []).filter((one) => one.requestId !== requestId)
    this.#unanswered.set(timedOut, left)
  }

  /** A step is due: where it is that a call of the sink has had no answer in time, the call is told so. */
  wanted(name: string): void {
    const oldest = this.#unanswered.get(name)?.shift()
    if (oldest !== undefined) oldest.process.send({ type: 'time-out', requestId: oldest.requestId })
  }

  async #commandLeaves(process: ConsumerProcess, leaving: Leaving): Promise<Fate> {
    const { command, redisKey, first, connection } = leaving
    const { stepper } = this.setting
    const conductor = this.setting.conductor()
    if (first) {
      const sent = stepper.labelOf(leaving.label)
      const unsent = await conductor.pass(process, 'command-unsent', sent, undefined, redisKey)
      if (unsent.verdict !== 'pass') return 'drops'
    }
    const label = stepper.labelOf(leaving.label)
    const hungUp = this.#closed.has(connectionName(process, connection))
    const waits = passName(process, 'command-unexecuted', label, redisKey)
    const outgoing = listOf(this.#outgoing, process, connection)
    outgoing.push(waits)
    const { verdict } = await conductor.pass(process, 'command-unexecuted', label, undefined, redisKey, hungUp)
    outgoing.splice(outgoing.indexOf(waits), 1)
    this.#lateMs.set(commandName(process, command), stepper.pace.behindMs)
    if (verdict !== 'drop') return process.state === 'ended' ? 'drops' : 'goes on'
    this.setting.recorder.fact({ type: 'request-lost', process: process.name, command: label })
    return 'lost'
  }

  /** What a client says by itself may be another in number: it waits only for what the script has. */
  async #greeted(process: ConsumerProcess, { connection, nth }: Greeted): Promise<void> {
    const waits = greetingName(process, nth)
    if (!this.setting.stepper.hasRoomFor(waits)) return
    const incoming = listOf(this.#incoming, process, connection)
    incoming.push(waits)
    await this.setting.conductor().greeted(process, nth)
    incoming.splice(incoming.indexOf(waits), 1)
  }

  /** Redis has answered: the command was executed, and its reply waits in the process. */
  replied(process: ConsumerProcess, replied: Replied): void {
    const { label, args, reply } = replied
    const name = commandName(process, replied.command)
    const lateMs = { left: this.#lateMs.get(name)!, answered: this.setting.stepper.pace.behindMs }
    this.#lateMs.delete(name)
    this.executed.push({ process: process.name, label, seq: this.setting.recorder.events.length, args, reply, lateMs })
    // Its gate, where that is waited for, is not reached by a process that ends first.
    const fate = this.#executed(process, replied).catch((error): Fate => {
      this.setting.failed(error)
      return 'drops'
    })
    this.#replies.set(name, fate)
  }

  async #executed(process: ConsumerProcess, replied: Replied): Promise<Fate> {
    const { redisKey, hungUp, connection } = replied
    const label = this.setting.stepper.labelOf(replied.label)
    const conductor = this.setting.conductor()
    const executed = await conductor.pass(process, 'command-executed', label, undefined, redisKey, hungUp)
    if (hungUp) return 'drops'
    if (executed.verdict === 'drop') {
      this.setting.recorder.fact({ type: 'reply-lost', process: process.name, command: label })
      return 'lost'
    }
    const waits = passName(process, 'reply-received', label)
    const incoming = listOf(this.#incoming, process, connection)
    incoming.push(waits)
    const received = await conductor.pass(process, 'reply-received', label)
    incoming.splice(incoming.indexOf(waits), 1)
    return received.verdict === 'pass' && process.state !== 'ended' ? 'goes on' : 'drops'
  }

  /** What waited on that connection is received by nobody any more; what has left for Redis may still be executed. */
  redisClosed(process: ConsumerProcess, connection: number): void {
    const { stepper } = this.setting
    const name = connectionName(process, connection)
    this.#closed.add(name)
    for (const waits of this.#outgoing.get(name) ?? []) stepper.hangUp(waits)
    for (const waits of this.#incoming.get(name) ?? []) stepper.withdraw(waits)
    this.#outgoing.delete(name)
    this.#incoming.delete(name)
  }
}

function listOf(lists: Map<string, string[]>, process: ConsumerProcess, connection: number): string[] {
  const name = connectionName(process, connection)
  const list = lists.get(name) ?? []
  lists.set(name, list)
  return list
}

type Greeted = Extract<ConsumerGate, { at: 'greeted' }>

type Replied = Extract<FromConsumer, { type: 'replied' }>
