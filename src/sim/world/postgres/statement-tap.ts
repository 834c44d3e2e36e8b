import type { Outcome } from 'postgres-sim'
import type { Step } from 'postgres-sim/wire'
import { bytesOf } from 'postgres-sim/wire'
import { ErrorReply, type Reply, StatusReply } from 'redis-sim/resp'
import type { ClientSide, Connection, Tap } from 'virtual-node/network'
import { keptByText } from '../../../run/kept-by-text.ts'
import { labelOfStatement } from '../../../run/statement-labels.ts'
import { StatementSubject } from '../../../run/statement-subject.ts'
import { Handshakes } from '../handshakes.ts'
import { recordLost } from '../record-lost.ts'
import type { StoreSession } from '../request.ts'
import type { TransactionalSink } from '../transactional-sink.ts'
import type { World } from '../world-state.ts'
import { ClientRequests } from './client-requests.ts'
import type { PostgresNode } from './postgres-node.ts'

/** The state of one connection. */
interface Known {
  readonly session: StoreSession
  readonly requests: ClientRequests
  /**
   * The subject of the open transaction: from the statements that the client has sent, and from the
   * statements that the server has executed.
   */
  readonly sent: StatementSubject
  readonly executed: StatementSubject
  /** Labels of the statements that are sent next. */
  leaving: readonly string[]
  /**
   * One entry for each labelled response in flight, in order: the effects that it acknowledges, and
   * how many statements it answers.
   */
  readonly reported: { readonly effects: readonly number[]; readonly statements: number }[]
  /** Effects that the next response acknowledges. */
  effects: number[]
  /**
   * Step numbers in the schedule: the BEGIN of the connection's open transaction, and its latest
   * statement.
   */
  begun: number | null
  latest: number | null
}

/**
 * Watches the statements of consumers on their way to the PostgreSQL server and back. Each
 * statement passes four boundaries: before it leaves the process, before and after its execution,
 * and before its response reaches the process. A statement outside of a block counts as executed
 * when its implicit transaction has committed. Not implemented: orphaned commands
 * (`command-strayed`), and the source line of a statement.
 */
export class StatementTap implements Tap {
  readonly #known = new WeakMap<ClientSide, Known>()
  /** Null if no schedule is recorded. */
  readonly #handshakes: Handshakes | null

  constructor(
    private readonly world: World,
    private readonly node: PostgresNode,
    private readonly transactional: TransactionalSink | null,
  ) {
    this.#handshakes = world.scheduleRecorder === null ? null : new Handshakes()
  }

  #of(connection: ClientSide): Known {
    let known = this.#known.get(connection)
    if (known === undefined) {
      known = {
        session: { endedSeq: null },
        requests: new ClientRequests(),
        sent: new StatementSubject(),
        executed: new StatementSubject(),
        leaving: [],
        reported: [],
        effects: [],
        begun: null,
        latest: null,
      }
      this.#known.set(connection, known)
    }
    return known
  }

  // The process's end of a connection.

  begins(connection: Connection): void {
    this.#handshakes?.begins(connection)
  }

  opened(): void {}

  gaveUp({ process }: Connection): void {
    this.world.scheduleRecorder?.gaveUp(process.name)
  }

  sending(): void {}

  hearing(connection: Connection): void {
    const handshakes = this.#handshakes
    if (handshakes === null) return
    handshakes.hears(connection)
    if (handshakes.isOver(connection)) return
    this.world.scheduleRecorder?.comesBy(connection)
    this.world.heard(connection.process, 'handshake-answered', handshakes.numberOf(connection), null)
  }

  label(connection: Connection, bytes: string): string | null {
    const known = this.#of(connection)
    const labels: string[] = []
    for (const step of known.requests.steps(bytes)) {
      const label = labelOfStatement(step.text)
      if (label === null) continue
      known.sent.comes(label, step)
      labels.push(label)
    }
    known.leaving = labels
    return labels[0] ?? null
  }

  leaving(connection: Connection, label: string): boolean {
    const { world } = this
    return world.guardHarnessCode(() => {
      const about = world.wantsKeys ? world.keyIn(this.#of(connection).sent.text) : undefined
      world.scheduleRecorder?.comesBy(connection)
      const { verdict } = world.pass(connection.process, 'command-unsent', label, undefined, about)
      this.#handshakes?.commandLeaves(connection)
      if (verdict !== 'pass' || connection.state !== 'open') return false
      const { process } = connection
      if (world.isRecorded(process))
        for (const observer of world.observers)
          observer.asks?.(connection, process.name, this.node.name, this.#of(connection).leaving)
      return true
    })
  }

  arriving(connection: Connection, label: string): boolean {
    const { effects, statements } = this.#of(connection).reported.shift() ?? { effects: [], statements: 0 }
    this.world.scheduleRecorder?.comesBy(connection)
    const { verdict } = this.world.pass(connection.process, 'reply-received', label)
    if (verdict !== 'pass' || connection.state !== 'open') return false
    this.#handshakes?.hears(connection)
    for (const observer of this.world.observers) for (let at = 0; at < statements; at++) observer.replies?.(connection)
    for (const effect of effects) this.transactional!.heard(effect)
    return true
  }

  lost(connection: Connection, what: 'request' | 'reply', label: string): void {
    recordLost(this.world, connection, connection.process, what, label)
  }

  // The server's end.

  /** Breaks the connection if a fault drops the statement. */
  executes(connection: ClientSide, step: Step): void {
    const { world } = this
    const { process } = connection
    const label = labelOfStatement(step.text)
    if (process === null || label === null) return
    const known = this.#of(connection)
    const { executed } = known
    executed.comes(label, step)
    world.limits.noteStatement(step.text, step.parameters)
    if (!withoutData.test(label)) this.#recordUse(false)
    const about = world.wantsKeys ? world.keyIn(executed.text) : undefined
    world.scheduleRecorder?.comesBy(connection)
    const { verdict, error } = world.pass(process, 'command-unexecuted', label, undefined, about, isLeft(connection))
    if (world.isRecorded(process)) this.#noteStep(known, label)
    if (error !== null) world.unsupported('an error instead of the execution of an SQL statement')
    if (verdict !== 'drop') return
    recordLost(world, connection, process, 'request', label)
    connection.break('ECONNRESET')
  }

  /** Records that the arriving message uses the database, which counts as one object. */
  #recordUse(changes: boolean): void {
    this.world.journeys?.uses(this.node.name, changes, this.world.kernel.turns)
  }

  /** A statement waits for a lock, and its place among those that wait matters to them. */
  waits(): void {
    this.#recordUse(true)
  }

  executed(connection: ClientSide, step: Step, outcome: Outcome): void {
    const { world } = this
    const { process } = connection
    const label = labelOfStatement(step.text)
    if (process === null || label === null) return
    const known = this.#of(connection)
    if (!withoutData.test(label) && hasChanged(step.text, outcome)) this.#recordUse(true)
    const args = [lineOf(step.text), ...step.parameters.map((value) => (value === null ? 'NULL' : bytesOf(value)))]
    const reply = replyOf(outcome)
    const ofStart = world.sent?.isStarting(process) ?? false
    world.traceCommand(process, { args, reply, node: this.node.name, sentFrom: undefined, ofStart })
    for (const observer of world.isRecorded(process) ? world.observers : []) {
      observer.comesTo?.(connection, label)
      observer.executes?.(connection, process.name, this.node.name, label)
    }
    world.schedule(process, label, args, reply)
    world.journal.inSession(known.session)
    const about = world.wantsKeys ? world.keyIn(known.executed.text) : undefined
    world.scheduleRecorder?.comesBy(connection)
    const { verdict } = world.pass(process, 'command-executed', label, undefined, about, isLeft(connection))
    if (world.isRecorded(process)) world.scheduleRecorder?.isOf('postgres')
    if (verdict !== 'drop') return
    recordLost(world, connection, process, 'reply', label)
    connection.break('ECONNRESET')
  }

  #noteStep(known: Known, label: string): void {
    const { scheduleRecorder, serversAhead } = this.world
    serversAhead.next()
    if (scheduleRecorder === null) return
    scheduleRecorder.isOf('postgres')
    known.latest = scheduleRecorder.command
    if (label === 'BEGIN') known.begun = scheduleRecorder.command
    else if (/^(COMMIT|ROLLBACK)$/.test(label)) known.begun = null
  }

  /** The statement read the current time, or the start time of its transaction. */
  reportedTime(connection: ClientSide): void {
    const { begun, latest } = this.#of(connection)
    this.world.scheduleRecorder?.goByTime([begun, latest].filter((step) => step !== null))
  }

  /** The session of this connection ends, and releases its locks. */
  letsGo(connection: ClientSide): void {
    const { process } = connection
    const { scheduleRecorder } = this.world
    this.ended(connection)
    if (scheduleRecorder === null || process === null || !this.world.isRecorded(process)) return
    scheduleRecorder.comesBy(connection)
    scheduleRecorder.take({ kind: 'lets-go', process: process.name }, () => {})
  }

  /** The session of this connection has ended, and holds no locks. */
  ended(connection: ClientSide): void {
    const { session } = this.#of(connection)
    const { events, nowUs } = this.world.recorder
    Object.assign(session, { endedSeq: events.length, endedUs: nowUs })
  }

  /**
   * The connection's session has committed a transaction that contains the effect of the request.
   */
  committed(connection: ClientSide, requestId: number): void {
    this.#of(connection).effects.push(requestId)
  }

  answers(connection: ClientSide, bytes: string, answered: readonly Step[]): void {
    const labels = answered.map(({ text }) => labelOfStatement(text)).filter((label) => label !== null)
    if (labels.length > 0) {
      const known = this.#of(connection)
      known.reported.push({ effects: known.effects, statements: labels.length })
      known.effects = []
    }
    connection.reply(bytes, labels[0] ?? null)
  }
}

/** A transaction sees the data of its first statement after BEGIN, not of BEGIN. */
const withoutData = /^(BEGIN|START|SET|SHOW|RESET)\b/
/** A query without a function and without row locks. */
const onlyReads = /^\s*select\b(?!.*[(])(?!.*\bfor\s)/is
const hasChanged = (text: string, outcome: Outcome): boolean =>
  outcome.ok && !onlyReads.test(text) && !/ 0$/.test(outcome.tag)

/** A statement on one line, for reports, as bytes. */
const lineOf = keptByText((text) => bytesOf(text.replace(/\s+/g, ' ').trim()))

const isLeft = ({ hungUpUs }: ClientSide): boolean => hungUpUs !== null

/**
 * The reply in the form of histories, as bytes: the rows (null if there are none), the command tag
 * of a statement without a result set, or the error.
 */
function replyOf(outcome: Outcome): Reply {
  if (!outcome.ok) return new ErrorReply(bytesOf(`${outcome.error.code} ${outcome.error.message}`))
  if (outcome.fields === null) return new StatusReply(outcome.tag)
  return outcome.rows.length === 0
    ? null
    : outcome.rows.map((row) => row.map((value) => (value === null ? null : bytesOf(value))))
}
