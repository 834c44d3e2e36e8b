/**
 * A socket to Redis in a run that follows a script. What the client writes is taken as the operating system takes it, and
 * leaves command by command when each may; replies are told as soon as they are there, and let in one by one. A client that
 * closes its socket takes nothing back that the operating system has: the end of the connection follows what still leaves.
 */
import net from 'node:net'
import { isPublished } from '../../run/published.ts'
import { questionOf } from '../../run/store-steps.ts'
import type { BegunConnection } from '../protocol.ts'
import { type GateDecision, passGate, tell } from './gates.ts'
import { holdIdleLimit, type IdleLimit } from './held-idle.ts'
import { asReply, CommandReader, confirms, isPush, ReplyReader, shown } from './resp.ts'
import { connections, type WatchedConnection } from './rest.ts'
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

/** By port: how many connections were begun. */
const begun = new Map<number, number>()

/** What makes Redis say things by itself, of its keys or of all commands. What is published comes of what others send. */
const listening = /^(?:(?:MONITOR|CLIENT TRACKING)\b|[PS]?SUBSCRIBE (?:.* )?(?:__key|[*?[]))/i

export class HeldSocket implements WatchedConnection {
  /** Commands that have left and were not answered. */
  underWay = 0
  listens = false
  /** A command has left: what came before was the client's greeting. */
  #greeted = false
  /** Something was let in. */
  #heard = false
  readonly #reader = new CommandReader()
  readonly #replies = new ReplyReader()
  readonly #unanswered: Sent[] = []
  readonly #connection = nextConnection()
  readonly #begun: BegunConnection
  readonly #limit: IdleLimit
  #write: (part: Buffer) => void
  readonly #push: (data: Buffer | null) => boolean
  /** What leaves, and what is let in, in their order. */
  #outgoing: Promise<void> = Promise.resolve()
  #incoming: Promise<void> = Promise.resolve()
  /** Parts that have not left. */
  #held = 0
  /** Redis or a fault has ended the connection: what has not left is lost. */
  #isOver = false
  #whenOver: () => void = () => {}
  /** The connection, once the client has closed its socket with something that had not left. */
  #outlives: net.Socket | null = null

  constructor(
    private readonly socket: WatchedSocket,
    readonly port: number,
    /** It leads to a Sentinel. */
    private readonly asks: boolean,
    /** It leads to a node of a Cluster, which is asked about the others. */
    private readonly isOfCluster: boolean,
  ) {
    const number = (begun.get(port) ?? 0) + 1
    begun.set(port, number)
    this.#begun = { port, number }
    const write = socket._writeGeneric.bind(socket)
    this.#limit = holdIdleLimit(socket)
    this.#write = (part) => write(false, part, 'buffer' as BufferEncoding, () => {})
    socket._writeGeneric = (many, data, encoding, done) => {
      // Before the connection stands, Node calls this again once it does.
      if (socket.connecting) return write(many, data, encoding, done)
      this.#limit.renew()
      this.#leave(writtenBytes(many, data, encoding))
      done()
    }
    this.#push = socket.push.bind(socket)
    socket.push = (data: Buffer | null) => {
      this.#arrive(data)
      return true
    }
    const connection = this.#connection
    connections.add(this)
    socket.once('connect', () => {
      this.#limit.renew()
      tell({ type: 'redis-open', connection })
    })
    socket.once('close', () => {
      if (this.#outlives === null) connections.delete(this)
      tell({ type: 'redis-closed', connection, ...(this.#heard ? {} : { unheard: this.#begun }) })
    })
    const over = new Promise<void>((resolve) => (this.#whenOver = resolve))
    const final = socket._final.bind(socket)
    socket._final = (done) => void Promise.race([this.#outgoing, over]).then(() => final(done))
    const destroy = socket._destroy.bind(socket)
    socket._destroy = (error, done) => {
      this.#limit.end()
      if (this.#held > 0 && !this.#isOver) this.#outlive()
      destroy(error, done)
    }
  }

  /** Its connection goes on under another socket, which nobody reads. */
  #outlive(): void {
    const { _handle: handle } = this.socket
    if (handle === null) return
    this.socket._handle = null
    const outlives = new net.Socket({ handle } as net.SocketConstructorOpts)
    this.#outlives = outlives
    this.#write = (part) => void outlives.write(part)
    outlives.on('error', () => {})
    outlives.on('data', (data: Buffer) => {
      for (const reply of this.#replies.takeWhole(data)) this.#answered(reply)
      this.#endOutlived()
    })
    outlives.once('close', () => connections.delete(this))
  }

  #endOutlived(): void {
    if (this.#held === 0 && this.underWay === 0) this.#outlives?.end()
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
    if (label === null) return this.isOfCluster ? this.#passSentinel('asking', args) : Promise.resolve(atOnce)
    if (this.asks) return this.#passSentinel('asking', args)
    // As in the simulator, a command that is written behind others of the client's own ends no greeting.
    if (first) this.#greeted = true
    const connection = this.#connection
    return passGate({ at: 'command-unsent', command, label, connection, port: this.port, first, ...namedBy(args) })
  }

  /** What a client says to a Sentinel beside its questions, and what it hears then, is its own. */
  #passSentinel(at: 'asking' | 'told', args: readonly string[]): Promise<GateDecision> {
    const question = questionOf(args)
    if (question === null) return Promise.resolve(atOnce)
    return passGate({ at, connection: this.#connection, port: this.port, question })
  }

  #inTurn(part: Buffer, allowed: Promise<GateDecision>, sent: Sent | null): void {
    this.#held++
    this.#outgoing = this.#outgoing.then(async () => {
      const { drop, reset } = await allowed
      this.#held--
      if (reset) this.#reset()
      if (drop || (this.socket.destroyed && this.#outlives === null)) return this.#endOutlived()
      if (sent !== null) this.#leaves(sent)
      this.#write(part)
      this.#endOutlived()
    })
  }

  #leaves(sent: Sent): void {
    this.underWay++
    if (listening.test(sent.args.join(' '))) this.listens = true
    noteLeaving(sent, this.port, this.#connection)
  }

  #arrive(data: Buffer | null): void {
    if (data === null) {
      this.#end()
      return this.#letIn(null, Promise.resolve(atOnce))
    }
    for (const reply of this.#replies.takeWhole(data)) this.#letIn(reply, this.#mayEnter(reply))
  }

  #mayEnter(reply: Buffer): Promise<GateDecision> {
    const sent = this.#answered(reply)
    if (this.asks) return this.#passSentinel('told', sent?.args ?? [])
    if (sent === null || sent.label === null) {
      if (this.isOfCluster && sent !== null && questionOf(sent.args) !== null)
        return this.#passSentinel('told', sent.args)
      return this.#mayBeHeard(reply)
    }
    return passGate({ at: 'reply-received', command: sent.command, label: sent.label })
  }

  #mayBeHeard(reply: Buffer): Promise<GateDecision> {
    const what = isPublished(reply.toString('latin1', 0, 100)) ? 'told' : 'greeted'
    if (what === 'greeted' && this.#greeted) return Promise.resolve(atOnce)
    return passGate({ at: 'heard', what, connection: this.#connection, begun: this.#begun })
  }

  /** Tells of the command that it answers, where that is the layer's; null where it answers none. */
  #answered(reply: Buffer): Sent | null {
    const sent = isPush(reply) && !confirms(reply, this.#unanswered[0]) ? undefined : this.#unanswered.shift()
    if (sent !== undefined) this.underWay--
    sent?.answered?.()
    if (sent === undefined) return null
    if (sent.label === null) return sent
    const { label, command, args, text } = sent
    const where = { connection: this.#connection, hungUp: this.#outlives !== null }
    tell({ type: 'command', command: text, reply: shown(reply) })
    if (!this.asks) tell({ type: 'replied', ...where, command, label, args, reply: asReply(reply), ...namedBy(args) })
    return sent
  }

  #letIn(data: Buffer | null, allowed: Promise<GateDecision>): void {
    this.#incoming = this.#incoming.then(async () => {
      const { drop, reset } = await allowed
      if (reset) this.#reset()
      if (drop || this.socket.destroyed) return
      this.#limit.renew()
      if (data !== null) this.#heard = true
      this.#push(data)
    })
  }

  #end(): void {
    this.#isOver = true
    this.#whenOver()
  }

  /** Where it stands: one that waits until it may connect hears nothing. */
  breaks(port = this.port): void {
    if (port === this.port && !this.socket.connecting && !this.socket.destroyed) this.#reset()
  }

  /** The error is that of a reset by the other side. */
  #reset(): void {
    this.#end()
    this.socket.destroy(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', syscall: 'read' }))
  }
}
