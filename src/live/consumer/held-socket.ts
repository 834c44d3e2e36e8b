/**
 * A socket to Redis in a run that follows a script. What the client writes is taken as the operating system takes it, and
 * leaves command by command when each may; replies are told as soon as they are there, and let in one by one.
 */
import { type GateDecision, passGate, tell } from './gates.ts'
import { CommandReader, isPush, ReplyReader, shown } from './resp.ts'
import {
  namedBy,
  nextConnection,
  noteCommand,
  noteLeaving,
  type Sent,
  type WatchedSocket,
  writtenBytes,
} from './sent-command.ts'

/** Of a client's own commands around its commands. */
const atOnce: GateDecision = { drop: false, reset: false, requestId: 0 }

export class HeldSocket {
  readonly #reader = new CommandReader()
  readonly #replies = new ReplyReader()
  readonly #unanswered: Sent[] = []
  readonly #connection = nextConnection()
  readonly #write: (part: Buffer) => void
  readonly #push: (data: Buffer | null) => boolean
  /** What leaves, and what is let in, in their order. */
  #outgoing: Promise<void> = Promise.resolve()
  #incoming: Promise<void> = Promise.resolve()

  constructor(
    private readonly socket: WatchedSocket,
    private readonly port: number,
  ) {
    const write = socket._writeGeneric.bind(socket)
    this.#write = (part) => write(false, part, 'buffer' as BufferEncoding, () => {})
    socket._writeGeneric = (many, data, encoding, done) => {
      // Before the connection stands, Node calls this again once it does.
      if (socket.connecting) return write(many, data, encoding, done)
      this.#leave(writtenBytes(many, data, encoding))
      done()
    }
    this.#push = socket.push.bind(socket)
    socket.push = (data: Buffer | null) => {
      this.#arrive(data)
      return true
    }
    const connection = this.#connection
    socket.once('connect', () => tell({ type: 'redis-open', connection }))
    socket.once('close', () => tell({ type: 'redis-closed', connection }))
  }

  #leave(bytes: Buffer): void {
    let from = 0
    for (const [at, { args, end }] of this.#reader.take(bytes).entries()) {
      const sent = noteCommand(args)
      this.#unanswered.push(sent)
      this.#inTurn(bytes.subarray(Math.max(from, 0), end), this.#mayLeave(sent, at === 0), sent)
      from = end
    }
    if (from < bytes.length) this.#inTurn(bytes.subarray(from), Promise.resolve(atOnce), null)
  }

  #mayLeave({ label, command, args }: Sent, first: boolean): Promise<GateDecision> {
    if (label === null) return Promise.resolve(atOnce)
    const connection = this.#connection
    return passGate({ at: 'command-unsent', command, label, connection, first, ...namedBy(args) })
  }

  #inTurn(part: Buffer, allowed: Promise<GateDecision>, sent: Sent | null): void {
    this.#outgoing = this.#outgoing.then(async () => {
      const { drop, reset } = await allowed
      if (reset) this.#reset()
      if (drop || this.socket.destroyed) return
      if (sent !== null) noteLeaving(sent, this.port, this.#connection)
      this.#write(part)
    })
  }

  #arrive(data: Buffer | null): void {
    if (data === null) return this.#letIn(null, Promise.resolve(atOnce))
    for (const reply of this.#replies.takeWhole(data)) this.#letIn(reply, this.#mayEnter(reply))
  }

  #mayEnter(reply: Buffer): Promise<GateDecision> {
    const sent = isPush(reply) ? undefined : this.#unanswered.shift()
    sent?.answered?.()
    if (sent === undefined || sent.label === null) return Promise.resolve(atOnce)
    const { label, command, args, text } = sent
    tell({ type: 'command', command: text, reply: shown(reply) })
    tell({ type: 'replied', command, label, args, reply: reply.toString('latin1'), ...namedBy(args) })
    return passGate({ at: 'reply-received', command, label })
  }

  #letIn(data: Buffer | null, allowed: Promise<GateDecision>): void {
    this.#incoming = this.#incoming.then(async () => {
      const { drop, reset } = await allowed
      if (reset) this.#reset()
      if (!drop && !this.socket.destroyed) this.#push(data)
    })
  }

  /** As a reset by the other side is told. */
  #reset(): void {
    this.socket.destroy(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', syscall: 'read' }))
  }
}
