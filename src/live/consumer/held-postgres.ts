/**
 * A PostgreSQL client's requests and answers on a held stream. Statements that the server processes
 * as one unit (up to Sync) count as one statement, with the name of the first. Their answer is
 * released when it is complete.
 */
import { StatementSubject } from '../../run/statement-subject.ts'
import { type GateDecision, passGate, passReply, type Replied, report } from './gates.ts'
import { atOnce, type HeldProtocol, HeldStream } from './held-stream.ts'
import { type Answered, ClientReader, type Part, ServerReader } from './postgres-wire.ts'
import { noteLeaving, type WatchedSocket } from './sent-command.ts'
import { ConnectionStatements, type SentStatements, unlabelled } from './sent-statements.ts'

/**
 * Matches errors by which the server ends something after a timeout (PostgreSQL 15, appendix A): a
 * lock wait, a statement, an idle transaction or an idle session.
 */
const timeLimits = /^(55P03 .*timeout|57014 .*timeout|25P03|57P05)\b/

/** Matches statements that end a transaction that has failed. */
const rollsBack = /^(ROLLBACK|COMMIT)\b/

interface Held extends SentStatements {
  /** What the statement concerns once it is executed; null if it is not executed. */
  executes: { readonly about?: string } | null
}

const nothingSaid = (): Held => ({ ...unlabelled(), executes: null })

export class HeldPostgres implements HeldProtocol {
  readonly #client = new ClientReader()
  readonly #server = new ServerReader(this.#client)
  readonly #sent = new ConnectionStatements()
  readonly #executed = new StatementSubject()
  /**
   * The statements that were written since the last one that makes the server send ReadyForQuery.
   */
  #open = nothingSaid()
  readonly #unanswered: Held[] = []
  /** True once a statement was sent. Everything before it was the handshake of the client. */
  #handshakeDone = false
  /** True if the open transaction has failed. */
  #failed = false
  /** The bytes of an incomplete answer. */
  #pieces: Buffer[] = []
  readonly stream: HeldStream

  constructor(
    socket: WatchedSocket,
    private readonly port: number,
  ) {
    this.stream = new HeldStream(socket, port, this)
  }

  leave(bytes: Buffer): void {
    let from = 0
    for (const [at, part] of this.#client.take(bytes).entries()) {
      const sent = this.#open
      const allowed = this.#mayLeave(part, sent, at === 0)
      this.stream.inTurn(bytes.subarray(from, part.end), allowed, () => this.#leaves(sent, part))
      from = part.end
      if (!part.closes) continue
      this.#unanswered.push(sent)
      this.#open = nothingSaid()
    }
  }

  #mayLeave({ statements, isSimple, ends }: Part, sent: Held, first: boolean): Promise<GateDecision> {
    const { connection, localPort } = this.stream
    if (ends) return passGate({ at: 'leaving', port: this.port, localPort })
    if (!this.#sent.note(statements, sent)) return Promise.resolve(atOnce)
    const label = sent.label!
    this.#handshakeDone = true
    if (!this.#failed || isSimple || rollsBack.test(label)) {
      for (const statement of statements) this.#executed.comes(label, statement)
      sent.executes = aboutOf(this.#executed.text)
    }
    const { command, executes } = sent
    const redisKey = this.#sent.about
    return passGate({
      ...{ at: 'command-unsent', command, label, connection, port: this.port, localPort, first, executes },
      ...(redisKey === undefined ? {} : { redisKey }),
    })
  }

  #leaves(sent: Held, { closes }: Part): void {
    if (sent.answered === null) noteLeaving(sent, this.port, this.stream.connection)
    if (closes) this.stream.underWay++
  }

  arrive(data: Buffer): void {
    // One byte answers each request for encryption.
    let from = Math.min(this.#client.encryptionAsked, data.length)
    if (from > 0) this.stream.letIn(data.subarray(0, from), this.#mayEnter(undefined))
    for (const answer of this.#server.take(data)) {
      const whole = Buffer.concat([...this.#pieces.splice(0), data.subarray(from, answer.end)])
      from = answer.end
      const sent = this.#unanswered.shift()
      const { effects, replied } = this.#answered(sent, answer)
      this.stream.letIn(whole, replied === null ? this.#mayEnter(sent) : passReply(replied), () => {
        for (const requestId of effects) report({ type: 'effect-answered', requestId, answer: 'receipt' })
      })
    }
    const rest = data.subarray(from)
    if (rest.length === 0) return
    // During the handshake, and while a statement is being answered, the client gets only complete
    // answers.
    if (this.#handshakeDone && (this.#unanswered[0]?.label ?? null) === null)
      this.stream.letIn(rest, Promise.resolve(atOnce))
    else this.#pieces.push(rest)
  }

  outlive(data: Buffer): void {
    for (const answer of this.#server.take(data)) {
      const { replied } = this.#answered(this.#unanswered.shift(), answer)
      if (replied !== null) report({ ...replied, gate: null })
    }
  }

  #mayEnter(sent: Held | undefined): Promise<GateDecision> {
    if (sent !== undefined && sent.label !== null)
      return passGate({ at: 'reply-received', command: sent.command, label: sent.label })
    const { connection, begun } = this.stream
    return this.#handshakeDone
      ? Promise.resolve(atOnce)
      : passGate({ at: 'heard', what: 'handshake-answered', connection, begun })
  }

  /**
   * Returns the effects that the client learns of with this answer, and the reply. The reply is
   * null if nothing was executed.
   */
  #answered(
    sent: Held | undefined,
    { shown, reply, error, idle, committed, failed }: Answered,
  ): { readonly effects: readonly number[]; readonly replied: Replied | null } {
    this.#failed = failed
    if (error !== null && timeLimits.test(error)) report({ type: 'cut-short', error })
    if (sent === undefined) return { effects: [], replied: null }
    this.stream.underWay--
    sent.answered?.()
    const effects = idle ? this.#sent.ended(committed) : []
    if (sent.label === null) return { effects, replied: null }
    const { label, command, text, executes } = sent
    report({ type: 'command', node: 'postgres', command: text, reply: shown })
    if (executes === null) return { effects, replied: null }
    const { about } = executes
    const { connection } = this.stream
    const named = about === undefined ? {} : { redisKey: about }
    const what = { connection, command, label, args: [text], reply, committed: effects, ...named }
    return { effects, replied: { type: 'replied', ...what } }
  }
}

const aboutOf = (about: string | undefined): { readonly about?: string } => (about === undefined ? {} : { about })
