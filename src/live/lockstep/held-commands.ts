/**
 * The gates of a run that follows a schedule. Each command is sent by its process when the schedule
 * executes it, and each reply is released when the schedule delivers it. The harness knows that
 * Redis has executed a command once the reply has arrived at the process. The reply waits there.
 */
import type { LiveCommand, ScheduleStep } from '../../contract/results/schedule.ts'
import { type Heard, type SinkQuestion, type Step, sameStep, stepText } from '../../contract/results/step.ts'
import { andThen, caught, type MaybePromise } from '../../run/maybe-promise.ts'
import type { Runner } from '../../run/runner.ts'
import type { SinkReply } from '../../run/sink/sink-errors.ts'
import { arrivalStep, askedStep, heardStep, passStep } from '../../run/steps.ts'
import type { ConsumerProcess } from '../host/consumer-process.ts'
import { commandName, connectionName, type RunGates } from '../host/gates.ts'
import type { BegunConnection, ConsumerGate, FromConsumer, ToConsumer } from '../host/protocol.ts'
import type { LiveRecorder } from '../host/recorder.ts'
import { SentRequests } from '../host/sent-requests.ts'
import type { PerformRequest } from '../sink/service.ts'
import type { HeldSessions } from './held-sessions.ts'
import type { LockStepReplayer } from './lock-step-replayer.ts'

/** Matches commands whose answer may come later than their execution. */
const mayWait = /^(?:WAIT|B[LRZ][A-Z]+|XREAD|XREADGROUP)$/

type Asking = Extract<ConsumerGate, { at: 'asking' | 'told' }>
type Leaving = Extract<ConsumerGate, { at: 'command-unsent' }>

interface HeldSetting {
  readonly runner: () => Runner<ConsumerProcess>
  readonly recorder: LiveRecorder
  readonly replayer: LockStepReplayer
  /**
   * Resolves to true when the slot can connect to the machine behind that port; to false if the
   * machine is down.
   */
  connects(slot: number, port: number): Promise<boolean>
  /**
   * True for a Cluster. Clients then talk to several servers at once, and each message that they
   * receive from one is a separate step.
   */
  readonly isCluster: boolean
  /** Returns the machine that the slot reaches by that port. */
  machineBehind(slot: number, port: number): string
  /** Called when a command with these arguments has changed data on that server, one of several. */
  wrote(server: string, args: readonly string[]): Promise<void>
  /** The PostgreSQL sessions; null if the layer has no PostgreSQL. */
  readonly sessions: HeldSessions | null
  /** Called when a transaction has committed that contains the effects of these requests. */
  committed(requests: readonly number[]): void
  readonly failed: (error: unknown) => void
}

/** The decision at a gate. `reset`: the message is dropped, and its connection is reset. */
type Verdict = 'pass' | 'reset' | 'drop'

export class HeldCommands implements RunGates {
  readonly executed: LiveCommand[] = []
  /** Errors by which PostgreSQL ended something after its own timeout. */
  readonly cuts: string[] = []
  readonly #requests: SentRequests
  /** By process and command: how late the run was when the command was sent to Redis. */
  readonly #lateMs = new Map<string, number>()
  /**
   * By process and command: the step that should execute the command, and the server to which it
   * was sent.
   */
  readonly #sentIn = new Map<string, { readonly step: ScheduleStep; readonly server: string }>()
  /** By process and connection: a function that ends the wait for a Sentinel's answer. */
  readonly #reported = new Map<string, () => void>()
  /**
   * By process and connection: settles when its last write was sent. The commands of a write wait
   * for each other, because two of them may be identical.
   */
  readonly #writes = new Map<string, Promise<unknown>>()
  /** By process and connection: the steps for which its commands wait to be executed. */
  readonly #outgoing = new Map<string, Step[]>()
  /** By process and connection: the steps for which messages wait to be received. */
  readonly #incoming = new Map<string, (() => Step)[]>()
  /** By process and statement: a function that ends the wait for the answer. */
  readonly #answers = new Map<string, () => void>()
  /** Connections of each process that were closed before anything was received on them. */
  readonly #unheard = new Map<ConsumerProcess, BegunConnection[]>()
  /** Connections that their processes have closed. */
  readonly #closed = new Set<string>()
  /**
   * Calls of the sink that may get no answer, the oldest first. `timesOut`: the step of the
   * timeout.
   */
  readonly #unanswered: Unanswered[] = []
  /** The number of unanswered requests and questions of each process at the sink. */
  readonly #atSink = new Map<ConsumerProcess, number>()
  /** By request: a function that ends the wait until the answer has arrived at the process. */
  readonly #heard = new Map<number, () => void>()
  /** Waits for requests to reach the sink, the oldest first. `there`: the step of the arrival. */
  readonly #arrivals: { readonly there: Step; readonly resolve: () => void }[] = []

  constructor(private readonly setting: HeldSetting) {
    this.#requests = new SentRequests(setting.runner)
  }

  async open(process: ConsumerProcess, { gate, where }: Extract<FromConsumer, { type: 'gate' }>): Promise<void> {
    const go = (verdict: Verdict, requestId = 0, instead: SinkReply | null = null) =>
      this.#go(process, gate, verdict, { requestId, ...(instead === null ? {} : { instead }) })
    if (where.at === 'effect-unsent') return this.#effect(process, where, go)
    if (where.at === 'heard') {
      await this.#hears(process, where)
      return go('pass')
    }
    if (where.at === 'sink-unasked') {
      this.#holdUntilThere(process, askedStep(process, where))
      return go('pass')
    }
    if (where.at === 'asking' || where.at === 'told') return go(await this.#sentinel(process, where))
    if (where.at === 'leaving') {
      await this.setting.sessions!.ends({ slot: process.slot, localPort: where.localPort })
      return go('pass')
    }
    if (where.at === 'connecting') return go((await this.setting.connects(process.slot, where.port)) ? 'pass' : 'drop')
    // The boundary was passed before the answer was sent.
    if (where.at === 'effect-answered') {
      this.#heard.get(where.requestId)?.()
      this.#heard.delete(where.requestId)
      return go('pass')
    }
    if (where.at === 'command-unsent') return go(await this.#commandLeaves(process, where))
    // Nothing was executed, so no step is taken.
    go('pass')
  }

  #go(process: ConsumerProcess, gate: number, verdict: Verdict, more: Pick<Go, 'requestId' | 'instead'> = {}): void {
    process.send({ type: 'go', gate, drop: verdict !== 'pass', reset: verdict === 'reset', ...more })
  }

  cutShort(error: string): void {
    this.cuts.push(error)
  }

  async sessionEnds(slot: number, localPort: number): Promise<void> {
    await this.setting.sessions?.ends({ slot, localPort })
  }

  senderOf(requestId: number): ConsumerProcess | undefined {
    return this.#requests.senderOf(requestId)
  }

  async #effect(
    process: ConsumerProcess,
    where: Extract<ConsumerGate, { at: 'effect-unsent' }>,
    go: (verdict: Verdict, requestId: number, instead?: SinkReply) => void,
  ): Promise<void> {
    const { requestId, sent, instead } = await this.#requests.send(process, where)
    if (instead !== null) return go('drop', requestId, instead)
    const asked = this.setting.runner().effects.askedFor(requestId)
    const timesOut: Step = { kind: 'effect-settled', process: process.name, answer: 'error', ...asked }
    this.#unanswered.push({ timesOut, process, requestId })
    if (sent.verdict !== 'pass' || process.state === 'ended') return go('drop', requestId)
    this.#holdUntilThere(process, arrivalStep(process, asked))
    go('pass', requestId)
  }

  /** Holds other steps until the request is at the sink, because the process may be killed next. */
  #holdUntilThere(process: ConsumerProcess, there: Step): void {
    if (!this.setting.replayer.expects(there) || process.state !== 'running') return
    const arrival = new Promise<void>((resolve) => this.#arrivals.push({ there, resolve }))
    this.setting.replayer.hold(Promise.race([arrival, process.gone]))
  }

  #isThere(there: Step): void {
    const at = this.#arrivals.findIndex((one) => sameStep(there, one.there))
    if (at >= 0) this.#arrivals.splice(at, 1)[0]!.resolve()
  }

  /**
   * Called when a request is at the sink. The request waits for its step. Its answer is sent when
   * the schedule has the process receive it.
   */
  arrived(process: ConsumerProcess, request: PerformRequest, reply: (reply: SinkReply) => void): void {
    const runner = this.setting.runner()
    this.#atSink.set(process, this.atSink(process) + 1)
    runner.effects.arrived(process, request, (answer) => {
      if (process.state === 'ended') return
      const received = andThen(runner.pass(process, 'effect-answered', null), ({ verdict }) => {
        if (verdict !== 'pass') return
        const waits = this.#takeUnanswered(({ requestId }) => requestId === request.requestId)
        if (waits !== undefined) this.#holdUntilHeard(process, request)
        this.#atSink.set(process, this.atSink(process) - 1)
        reply(answer)
      })
      void caught(received, this.setting.failed)
    })
    this.#isThere(arrivalStep(process, runner.effects.askedFor(request.requestId)))
  }

  /** Called when a question is at the sink. It is handled like a request. */
  async asked<T>(process: ConsumerProcess, question: SinkQuestion, work: () => MaybePromise<T>): Promise<T> {
    const runner = this.setting.runner()
    this.#atSink.set(process, this.atSink(process) + 1)
    const answering = runner.effects.asked(process, question, work)
    this.#isThere(askedStep(process, question))
    const answer = await answering
    if (process.state === 'ended') return never()
    const { verdict } = await runner.pass(process, 'effect-answered', null)
    if (verdict !== 'pass') return never()
    this.#atSink.set(process, this.atSink(process) - 1)
    return answer
  }

  /** The number of the process's requests at the sink, some of which may wait there forever. */
  atSink(process: ConsumerProcess): number {
    return this.#atSink.get(process) ?? 0
  }

  #takeUnanswered(is: (one: Unanswered) => boolean): Unanswered | undefined {
    const at = this.#unanswered.findIndex(is)
    return at < 0 ? undefined : this.#unanswered.splice(at, 1)[0]
  }

  /**
   * Holds other steps until the process has the answer, because an answer uses another connection
   * than the messages of the next steps, and could arrive after them.
   */
  #holdUntilHeard(process: ConsumerProcess, { requestId }: PerformRequest): void {
    if (process.state !== 'running') return
    const heard = new Promise<void>((resolve) => this.#heard.set(requestId, resolve))
    this.setting.replayer.hold(Promise.race([heard, process.gone]))
  }

  /**
   * Called when a step is due. If the step is the timeout of a call of the sink, the process is
   * ordered to let the call time out.
   */
  wanted(step: Step): void {
    const oldest = this.#takeUnanswered(({ timesOut }) => sameStep(step, timesOut))
    if (oldest !== undefined) oldest.process.send({ type: 'time-out', requestId: oldest.requestId })
  }

  async #commandLeaves(process: ConsumerProcess, leaving: Leaving): Promise<Verdict> {
    const { command, first, connection, executes } = leaving
    const { replayer } = this.setting
    const runner = this.setting.runner()
    const via = connectionName(process, connection)
    const redisKey = executes === undefined ? leaving.redisKey : runner.keyIn(leaving.redisKey)
    if (first) {
      const sent = replayer.labelOf(leaving.label)
      const passes = () => runner.pass(process, 'command-unsent', sent, undefined, redisKey)
      const passing = Promise.resolve(replayer.by(via, passes))
      this.#writes.set(via, passing)
      if ((await passing).verdict !== 'pass') return 'drop'
    } else await this.#writes.get(via)
    const label = replayer.labelOf(leaving.label)
    if (executes !== undefined) this.setting.sessions!.speaks(process, leaving.localPort!, via)
    // The statement fails before it is executed, so it is not a step.
    if (executes === null) return 'pass'
    const about = executes === undefined ? redisKey : runner.keyIn(executes.about)
    const hungUp = this.#closed.has(connectionName(process, connection))
    const waits = passStep(process, 'command-unexecuted', label, about)
    const passes = () =>
      replayer.by(via, () => runner.pass(process, 'command-unexecuted', label, undefined, about, hungUp))
    const { verdict } = await during(listOf(this.#outgoing, process, connection), waits, passes)
    this.#lateMs.set(commandName(process, command), replayer.pace.behindMs)
    if (!this.#goesWhereItWent(process, leaving)) return 'drop'
    if (verdict !== 'drop' && process.state === 'ended') return 'drop'
    if (verdict !== 'drop') {
      if (executes !== undefined) this.#holdUntilSettled(process, leaving, label, about)
      return 'pass'
    }
    this.setting.recorder.fact({ type: 'request-lost', process: process.name, command: label })
    return 'reset'
  }

  /** Holds all other steps until the statement is answered, or waits for another session. */
  #holdUntilSettled(
    process: ConsumerProcess,
    { command, connection, localPort }: Leaving,
    label: string,
    about?: string,
  ) {
    const name = commandName(process, command)
    const hungUp = this.#closed.has(connectionName(process, connection))
    const executed = passStep(process, 'command-executed', label, about, hungUp)
    const answered = new Promise<void>((resolve) => this.#answers.set(name, resolve))
    const { sessions, replayer, failed } = this.setting
    const session = { slot: process.slot, localPort: localPort! }
    const settling = sessions!.settles(session, executed, Promise.race([answered, process.gone]))
    replayer.hold(settling)
    /** If the process ends while the statement waits, the session continues without it. */
    const goesOnAlone = async (): Promise<void> => {
      if (!(await settling)) return
      await process.gone
      await sessions!.untilWaitsNoMore(session)
      const alone = passStep(process, 'command-executed', label, about, true)
      if (!this.#answers.delete(name) || !replayer.hasRoomFor(alone)) return
      const executes = () => this.setting.runner().pass(process, 'command-executed', label, undefined, about, true)
      await replayer.by(connectionName(process, connection), executes)
    }
    goesOnAlone().catch(failed)
  }

  /** True if the command was sent to the server on which the schedule executed it. */
  #goesWhereItWent(process: ConsumerProcess, { command, port }: Leaving): boolean {
    const step = this.setting.replayer.last!
    if (step.server === null) return true
    const server = this.setting.machineBehind(process.slot, port)
    this.#sentIn.set(commandName(process, command), { step, server })
    if (step.server === server) return true
    this.setting.replayer.wentOtherwise(`${stepText(step.step)} on ${server} instead of ${step.server}`, 'nodes')
    return false
  }

  /**
   * Handles a question to a Sentinel, or its answer, in its step. All other steps wait until the
   * Sentinel has answered.
   */
  async #sentinel(process: ConsumerProcess, { at, connection, port, question }: Asking): Promise<Verdict> {
    const { replayer } = this.setting
    const server = this.setting.machineBehind(process.slot, port)
    const here = connectionName(process, connection)
    if (at === 'told') this.#reported.get(here)?.()
    const asks = at === 'asking'
    const waits: Step = { kind: asks ? 'asks' : 'hears', process: process.name, server, question }
    if (!replayer.hasRoomFor(waits)) return this.setting.isCluster ? never() : 'pass'
    const step = () => replayer.by(here, () => replayer.take(waits, () => {}))
    if (asks) await during(listOf(this.#outgoing, process, connection), waits, step)
    else await during(listOf(this.#incoming, process, connection), () => waits, step)
    if (asks)
      replayer.hold(Promise.race([new Promise<void>((reported) => this.#reported.set(here, reported)), process.gone]))
    return process.state === 'ended' ? 'drop' : 'pass'
  }

  /**
   * Handles an unsolicited message. The number of such messages may differ from the schedule, so a
   * message waits only if the schedule has it. From Cluster nodes, a client receives no more
   * messages than in the schedule, where a node may have been frozen or cut off just before its
   * answer.
   */
  async #hears(process: ConsumerProcess, { connection, what, begun }: Hearing): Promise<void> {
    const { isCluster, machineBehind } = this.setting
    const server = isCluster ? machineBehind(process.slot, begun.port) : null
    const number = (): number => this.#numberOf(process, begun)
    const waits = (): Step => heardStep(process, what, number(), server)
    if (!this.#isHeardLater(process, what, number(), server)) return isCluster && what !== 'told' ? never() : undefined
    const heard = () => this.setting.runner().heard(process, what, number, server)
    const hears = () => this.setting.replayer.by(connectionName(process, connection), heard)
    await during(listOf(this.#incoming, process, connection), waits, hears)
  }

  /**
   * The number of the connection, as in `Runner.heard`. It shrinks if an earlier connection closes
   * before anything was received on it.
   */
  #numberOf(process: ConsumerProcess, { port, number }: BegunConnection): number {
    const unheard = this.#unheard.get(process) ?? []
    return number - unheard.filter((one) => one.port === port && one.number < number).length
  }

  /**
   * True if the schedule has the message later, on a connection of that number, or of a lower
   * number that this connection may still get.
   */
  #isHeardLater(process: ConsumerProcess, what: Heard, number: number, server: string | null): boolean {
    for (let one = number; one > 0; one--)
      if (this.setting.replayer.hasRoomFor(heardStep(process, what, one, server))) return true
    return false
  }

  /**
   * Called when Redis has answered: the command was executed, and the reply waits in the process.
   */
  replied(process: ConsumerProcess, replied: Replied): void {
    const { label, args, reply, gate } = replied
    const name = commandName(process, replied.command)
    if (!this.#isStep(process, replied)) {
      this.#sentIn.delete(name)
      if (gate !== null) this.#go(process, gate, 'pass')
      return
    }
    this.#answers.get(name)?.()
    this.#answers.delete(name)
    if (replied.committed !== undefined) this.setting.committed(replied.committed)
    const lateMs = { left: this.#lateMs.get(name)!, answered: this.setting.replayer.pace.behindMs }
    this.#lateMs.delete(name)
    const note = () =>
      this.executed.push({
        process: process.name,
        label,
        seq: this.setting.recorder.events.length,
        args,
        reply,
        lateMs,
      })
    // If several statements waited for one session, their answers arrive in any order and are
    // handled in the order of the schedule.
    const isStatement = replied.committed !== undefined
    if (!isStatement) note()
    const verdict = this.#executed(process, replied, isStatement ? note : () => {}).catch((error): Verdict => {
      this.setting.failed(error)
      return 'drop'
    })
    if (gate !== null) void verdict.then((known) => this.#go(process, gate, known))
  }

  /**
   * True if the execution is a step. If a command waited for something, such as replicas, its
   * answer may not be part of a step.
   */
  #isStep(process: ConsumerProcess, { label, redisKey, gate }: Replied): boolean {
    const executed = passStep(process, 'command-executed', label, redisKey, gate === null)
    return !mayWait.test(label) || this.setting.replayer.hasRoomFor(executed)
  }

  async #executed(process: ConsumerProcess, replied: Replied, note: () => void): Promise<Verdict> {
    const { args, connection } = replied
    const hungUp = replied.gate === null
    const { replayer } = this.setting
    const via = connectionName(process, connection)
    const label = replayer.labelOf(replied.label)
    const runner = this.setting.runner()
    const redisKey = replied.committed === undefined ? replied.redisKey : runner.keyIn(replied.redisKey)
    const sentIn = this.#sentIn.get(commandName(process, replied.command))
    this.#sentIn.delete(commandName(process, replied.command))
    if (sentIn?.step.wrote) {
      const noted = this.setting.wrote(sentIn.server, args)
      replayer.hold(noted)
      await noted
    }
    const executed = await replayer.by(via, () =>
      runner.pass(process, 'command-executed', label, undefined, redisKey, hungUp),
    )
    note()
    if (hungUp) return 'drop'
    if (executed.verdict === 'drop') {
      this.setting.recorder.fact({ type: 'reply-lost', process: process.name, command: label })
      return 'reset'
    }
    const step = passStep(process, 'reply-received', label)
    const passes = () => replayer.by(via, () => runner.pass(process, 'reply-received', label))
    const received = await during(listOf(this.#incoming, process, connection), () => step, passes)
    return received.verdict === 'pass' && process.state !== 'ended' ? 'pass' : 'drop'
  }

  /**
   * Called when a connection was closed. Messages that waited on it are never received. Commands
   * that were sent to Redis may still be executed.
   */
  connectionClosed(process: ConsumerProcess, connection: number, unheard?: BegunConnection): void {
    const { replayer } = this.setting
    const name = connectionName(process, connection)
    this.#closed.add(name)
    this.#reported.get(name)?.()
    for (const waits of this.#outgoing.get(name) ?? []) replayer.hangUp(waits)
    for (const waits of this.#incoming.get(name) ?? []) replayer.withdraw(waits())
    this.#outgoing.delete(name)
    this.#incoming.delete(name)
    if (unheard === undefined) return
    this.#unheard.set(process, [...(this.#unheard.get(process) ?? []), unheard])
    replayer.changed()
  }
}

interface Unanswered {
  readonly timesOut: Step
  readonly process: ConsumerProcess
  readonly requestId: number
}

const never = (): Promise<never> => new Promise(() => {})

function listOf<T>(lists: Map<string, T[]>, process: ConsumerProcess, connection: number): T[] {
  const name = connectionName(process, connection)
  const list = lists.get(name) ?? []
  lists.set(name, list)
  return list
}

/** Does the work, with `one` in the list while it lasts. */
async function during<L, T>(list: L[], one: L, work: () => MaybePromise<T>): Promise<T> {
  list.push(one)
  const done = await work()
  list.splice(list.indexOf(one), 1)
  return done
}

type Hearing = Extract<ConsumerGate, { at: 'heard' }>

type Replied = Extract<FromConsumer, { type: 'replied' }>

type Go = Extract<ToConsumer, { type: 'go' }>
