/**
 * A socket to a store in a run that follows a schedule. What the client writes is taken as the
 * operating system takes it, and leaves part by part when each may; what the server says is let in
 * part by part. A client that closes its socket takes nothing back that the operating system has:
 * the end of the connection follows what still leaves.
 */
import net from 'node:net'
import type { EndHeard } from '../../contract/results/step.ts'
import type { BegunConnection } from '../host/protocol.ts'
import { type GateDecision, passGate, report } from './gates.ts'
import { holdIdleLimit, type IdleLimit } from './held-idle.ts'
import { connections, type WatchedConnection } from './rest.ts'
import { nextConnection, type WatchedSocket, writtenBytes } from './sent-command.ts'

/** Of what a client says on its own account. */
export const atOnce: GateDecision = { drop: false, reset: false, requestId: 0 }

/** By port: how many connections were begun. */
const begun = new Map<number, number>()

/** What reads the protocol that is spoken on it. */
export interface HeldProtocol {
  /** The client writes that. */
  leave(bytes: Buffer): void
  /** The server says that. */
  arrive(data: Buffer): void
  /** The server says that to a client that has closed its socket. */
  outlive(data: Buffer): void
}

export class HeldStream implements WatchedConnection {
  /** What has left and was not answered. */
  underWay = 0
  listens = false
  /** Its client has ended its side, and the end of the other one is a step. */
  endUnderWay = false
  readonly connection = nextConnection()
  readonly begun: BegunConnection
  /** Something was let in. */
  #heard = false
  readonly #limit: IdleLimit
  #write: (part: Buffer) => void
  readonly #push: (data: Buffer | null) => boolean
  /** What leaves, and what is let in, in their order. */
  #outgoing: Promise<void> = Promise.resolve()
  #incoming: Promise<void> = Promise.resolve()
  /** Parts that have not left. */
  #held = 0
  /** The server or a fault has ended the connection: what has not left is lost. */
  #isOver = false
  #whenOver: () => void = () => {}
  /** The client hears that the connection is over, once it may; null before it is. */
  #ending: Promise<GateDecision> | null = null
  /** The connection, once the client has closed its socket with something that had not left. */
  #outlives: net.Socket | null = null

  constructor(
    private readonly socket: WatchedSocket,
    readonly port: number,
    private readonly protocol: HeldProtocol,
    /** That the connection is over is a step. */
    private readonly endsBySchedule = false,
  ) {
    const number = (begun.get(port) ?? 0) + 1
    begun.set(port, number)
    this.begun = { port, number }
    const write = socket._writeGeneric.bind(socket)
    this.#limit = holdIdleLimit(socket)
    this.#write = (part) => write(false, part, 'buffer' as BufferEncoding, () => {})
    socket._writeGeneric = (many, data, encoding, done) => {
      // Before the connection stands, Node calls this again once it does.
      if (socket.connecting) return write(many, data, encoding, done)
      this.#limit.renew()
      protocol.leave(writtenBytes(many, data, encoding))
      done()
    }
    this.#push = socket.push.bind(socket)
    socket.push = (data: Buffer | null) => {
      if (data === null) this.#end()
      else protocol.arrive(data)
      return true
    }
    const { connection } = this
    connections.add(this)
    socket.once('connect', () => {
      this.#limit.renew()
      report({ type: 'connection-open', connection })
    })
    socket.once('close', () => {
      if (this.#outlives === null) connections.delete(this)
      report({ type: 'connection-closed', connection, ...(this.#heard ? {} : { unheard: this.begun }) })
    })
    const over = new Promise<void>((resolve) => (this.#whenOver = resolve))
    const final = socket._final.bind(socket)
    socket._final = (done) =>
      void Promise.race([this.#outgoing, over]).then(() => {
        this.endUnderWay = endsBySchedule && !this.#isOver
        final(done)
      })
    const destroy = socket._destroy.bind(socket)
    socket._destroy = (error, done) => {
      this.#limit.end()
      if (this.#ending === null && this.endsBySchedule && isOfNetwork(error)) {
        this.#over()
        return void this.#mayEnd('disconnected').then(() => destroy(error, done))
      }
      if (this.#held > 0 && !this.#isOver) this.#outlive()
      destroy(error, done)
    }
  }

  #mayEnd(how: EndHeard): Promise<GateDecision> {
    if (!this.endsBySchedule) return Promise.resolve(atOnce)
    const { connection, begun } = this
    this.#ending ??= passGate({ at: 'heard', what: how, connection, begun })
    return this.#ending
  }

  /** This process's own end. */
  get localPort(): number {
    return this.socket.localPort ?? 0
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
      this.protocol.outlive(data)
      this.#endOutlived()
    })
    outlives.once('close', () => connections.delete(this))
  }

  #endOutlived(): void {
    if (this.#held === 0 && this.underWay === 0) this.#outlives?.end()
  }

  /** It leaves behind what was written before, once it may. `leaves` is called as it does. */
  inTurn(part: Buffer, allowed: Promise<GateDecision>, leaves: () => void): void {
    this.#held++
    this.#outgoing = this.#outgoing.then(async () => {
      const { drop, reset } = await allowed
      this.#held--
      if (reset) this.#reset()
      if (drop || (this.socket.destroyed && this.#outlives === null)) return this.#endOutlived()
      leaves()
      this.#write(part)
      this.#endOutlived()
    })
  }

  /**
   * The client gets it behind what the server said before, once it may. `enters` is called as it
   * does.
   */
  letIn(data: Buffer | null, allowed: Promise<GateDecision>, enters: () => void = () => {}): void {
    this.#incoming = this.#incoming.then(async () => {
      const { drop, reset } = await allowed
      if (reset) this.#reset()
      if (drop || this.socket.destroyed) return
      this.#limit.renew()
      if (data !== null) this.#heard = true
      enters()
      this.#push(data)
    })
  }

  #end(): void {
    this.#over()
    this.letIn(null, this.#mayEnd('disconnected'))
  }

  #over(): void {
    this.#isOver = true
    this.endUnderWay = false
    this.#whenOver()
  }

  /** Where it stands: one that waits until it may connect hears nothing. */
  breaks(port = this.port): void {
    if (port === this.port && !this.socket.connecting && !this.socket.destroyed) this.#reset()
  }

  /** The error is that of a reset by the other side. */
  #reset(): void {
    this.#fails('disconnected', 'read ECONNRESET', { code: 'ECONNRESET', syscall: 'read' })
  }

  /**
   * Nobody listens there: the error is the operating system's, which is not asked, as it may have
   * given the port to somebody else.
   */
  refused(): void {
    const address = '127.0.0.1'
    const { port } = this
    const error = { code: 'ECONNREFUSED', syscall: 'connect', address, port }
    this.#fails('refused', `connect ECONNREFUSED ${address}:${port}`, error)
  }

  #fails(how: EndHeard, message: string, members: object): void {
    this.#over()
    // Its client has given it up, and hears of nothing any more.
    if (this.socket.destroyed) return
    const fails = (): void => void this.socket.destroy(Object.assign(new Error(message), members))
    if (this.endsBySchedule) void this.#mayEnd(how).then(fails)
    else fails()
  }
}

/** The operating system's word: a client that gives a connection up has errors of its own. */
const isOfNetwork = (error: NodeJS.ErrnoException | null): boolean =>
  error?.code === 'ECONNRESET' || error?.code === 'EPIPE'
