/**
 * Watches a socket to PostgreSQL inside the consumer's process, below any client library. At the
 * harness's request, a statement waits before its bytes are sent, and an answer waits before the
 * client gets any of it. Nothing else is changed. Statements that the server processes as one unit
 * (up to Sync) pass as one statement, with the name of the first.
 */
import { type EventEmitter, errorMonitor } from 'node:events'
import type { CreateOrder } from '../host/protocol.ts'
import { passGate, report } from './gates.ts'
import { type Answered, ClientReader, type Part, ServerReader } from './postgres-wire.ts'
import { nextConnection, noteLeaving, type WatchedSocket, type WriteDone, writtenBytes } from './sent-command.ts'
import { ConnectionStatements, type SentStatements, unlabelled } from './sent-statements.ts'

export class PostgresTap {
  readonly #client = new ClientReader()
  readonly #server = new ServerReader(this.#client)
  readonly #statements = new ConnectionStatements()
  /** The statements that were sent since the last one that makes the server send ReadyForQuery. */
  #open = unlabelled()
  readonly #unanswered: SentStatements[] = []
  /** Promises that keep the order of outgoing bytes and of answers. */
  #outgoing: Promise<void> = Promise.resolve()
  #arrivals: Promise<void> = Promise.resolve()
  /** The bytes of an incomplete answer. */
  #held: Buffer[] = []
  readonly #connection = nextConnection()

  constructor(
    private readonly socket: WatchedSocket,
    private readonly port: number,
    watch: Pick<CreateOrder, 'watchCommands'>,
  ) {
    const write = socket._writeGeneric.bind(socket)
    socket._writeGeneric = (many, data, encoding, done) => {
      // If the socket is still connecting, Node calls this method again once the socket is
      // connected.
      if (socket.connecting) return write(many, data, encoding, done)
      const bytes = writtenBytes(many, data, encoding)
      const plain = (part: Buffer, then: WriteDone) => write(false, part, 'buffer' as BufferEncoding, then)
      if (!watch.watchCommands) {
        for (const part of this.#client.take(bytes)) this.#noteLeaving(part)
        return plain(bytes, done)
      }
      this.#outgoing = this.#outgoing.then(() => this.#leave(bytes, plain, done))
    }
    const push = socket.push.bind(socket)
    socket.push = (data: Buffer | null, encoding?: BufferEncoding) => {
      if (!watch.watchCommands) {
        if (data !== null) for (const answer of this.#server.take(data)) this.#heard(this.#answered(answer), answer)
        return push(data, encoding)
      }
      this.#arrivals = this.#arrivals.then(() => this.#arrive(data, (part) => void push(part, encoding)))
      return true
    }
    const connection = this.#connection
    socket.once('connect', () => report({ type: 'connection-open', connection }))
    // The end is reported before the client gets the error, because an error without a listener
    // ends the process immediately.
    let over = false
    const close = (): void => {
      if (!over) report({ type: 'connection-closed', connection })
      over = true
    }
    ;(socket as EventEmitter).once(errorMonitor, close).once('close', close)
  }

  async #leave(bytes: Buffer, write: (part: Buffer, then: WriteDone) => void, done: WriteDone): Promise<void> {
    const parts = this.#client.take(bytes)
    let from = 0
    for (const [at, part] of parts.entries()) {
      if (!(await this.#mayLeave(part, at === 0))) return
      if (this.socket.destroyed) return done(new Error('the socket is closed'))
      this.#close(part)
      const last = at === parts.length - 1
      await new Promise<void>((resolve) =>
        write(bytes.subarray(from, part.end), (error) => {
          if (last || error) done(error)
          resolve()
        }),
      )
      from = part.end
    }
  }

  async #mayLeave({ statements }: Part, first: boolean): Promise<boolean> {
    const sent = this.#open
    if (!this.#statements.note(statements, sent)) return true
    const { about } = this.#statements
    const { drop } = await passGate({
      at: 'command-unsent',
      command: sent.command,
      label: sent.label!,
      connection: this.#connection,
      port: this.port,
      localPort: this.socket.localPort ?? 0,
      first,
      ...(about === undefined ? {} : { redisKey: about }),
    })
    return !drop
  }

  #noteLeaving(part: Part): void {
    this.#statements.note(part.statements, this.#open)
    this.#close(part)
  }

  #close({ closes }: Part): void {
    const sent = this.#open
    if (sent.answered === null) noteLeaving(sent, this.port, this.#connection)
    if (!closes) return
    this.#unanswered.push(sent)
    this.#open = unlabelled()
  }

  /**
   * Holds an answer until ReadyForQuery or the end of the session. If no statement of the layer is
   * being answered, everything passes.
   */
  async #arrive(data: Buffer | null, push: (part: Buffer | null) => void): Promise<void> {
    if (data === null) {
      // Parts of an incomplete answer may contain the reason of the end.
      for (const part of this.#held.splice(0)) push(part)
      return push(null)
    }
    let from = 0
    for (const answer of this.#server.take(data)) {
      const sent = this.#answered(answer)
      if (sent !== undefined && sent.label !== null) {
        const { command, label } = sent
        const { drop } = await passGate({ at: 'reply-received', command, label, port: this.port })
        if (drop || this.socket.destroyed) {
          this.#held = []
          return
        }
      }
      this.#heard(sent, answer)
      push(Buffer.concat([...this.#held.splice(0), data.subarray(from, answer.end)]))
      from = answer.end
    }
    const rest = data.subarray(from)
    if (rest.length === 0) return
    if ((this.#unanswered[0]?.label ?? null) === null) push(rest)
    else this.#held.push(rest)
  }

  #answered({ shown }: Answered): SentStatements | undefined {
    const sent = this.#unanswered.shift()
    sent?.answered?.()
    if (sent !== undefined && sent.label !== null)
      report({ type: 'command', node: 'postgres', command: sent.text, reply: shown })
    return sent
  }

  /** Called when the client gets the answer. */
  #heard(sent: SentStatements | undefined, { idle, committed }: Answered): void {
    if (sent === undefined || !idle) return
    for (const requestId of this.#statements.ended(committed))
      report({ type: 'effect-answered', requestId, answer: 'receipt' })
  }
}
