/**
 * A socket to a store in a run that follows a schedule. Written bytes count as accepted by the
 * operating system, and each part leaves when it may. Received bytes are released part by part. If
 * a client closes its socket, bytes that the operating system has accepted still leave, and the
 * connection ends after them.
 */
import net from 'node:net'
import type { EndHeard } from '../../contract/results/step.ts'
import type { BegunConnection } from '../host/protocol.ts'
import { type GateDecision, passGate, report } from './gates.ts'
import { holdIdleLimit, type IdleLimit } from './held-idle.ts'
import { connections, type WatchedConnection } from './rest.ts'
import { nextConnection, type WatchedSocket, writtenBytes } from './sent-command.ts'

/** The decision for unsolicited messages of a client. */
export const atOnce: GateDecision = { drop: false, reset: false, requestId: 0 }

/** By port: how many connections were begun. */
const begun = new Map<number, number>()

/** Parses the protocol of the connection. */
export interface HeldProtocol {
  /** The client writes these bytes. */
  leave(bytes: Buffer): void
  /** The server sends these bytes. */
  arrive(data: Buffer): void
  /** The server sends these bytes to a client that has closed its socket. */
  outlive(data: Buffer): void
}

export class HeldStream implements WatchedConnection {
  /** How many requests have left and are unanswered. */
  underWay = 0
  listens = false
  /** Its client has ended its side, and the end of the other side is a step. */
  endUnderWay = false
  readonly connection = nextConnection()
  readonly begun: BegunConnection
  /** Some data was released to the client. */
  #heard = false
  readonly #limit: IdleLimit
  #write: (part: Buffer) => void
  readonly #push: (data: Buffer | null) => boolean
  /** Queues that keep the order of outgoing and incoming parts. */
  #outgoing: Promise<void> = Promise.resolve()
  #incoming: Promise<void> = Promise.resolve()
  /** The number of parts that have not left. */
  #held = 0
  /** The server or a fault has ended the connection. Parts that have not left are lost. */
  #isOver = false
  #whenOver: () => void = () => {}
  /** Settles when the client may learn that the connection has ended; null before it ends. */
  #ending: Promise<GateDecision> | null = null
  /** The connection after the client closed its socket with parts that had not left. */
  #outlives: net.Socket | null = null

  constructor(
    private readonly socket: WatchedSocket,
    readonly port: number,
    private readonly protocol: HeldProtocol,
    /** The end of the connection is a step. */
    private readonly endsBySchedule = false,
  ) {
    const number = (begun.get(port) ?? 0) + 1
    begun.set(port, number)
    this.begun = { port, number }
    const write = socket._writeGeneric.bind(socket)
    this.#limit = holdIdleLimit(socket)
    this.#write = (part) => write(false, part, 'buffer' as BufferEncoding, () => {})
    socket._writeGeneric = (many, data, encoding, done) => {
      // If the socket is still connecting, Node calls this again once it is connected.
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

  /** The local port of this process. */
  get localPort(): number {
    return this.socket.localPort ?? 0
  }

  /** The connection goes on under another socket, which the layer does not read. */
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

  /** The part leaves after earlier writes, once it may. `leaves` is called then. */
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

  /** The client gets the data after earlier data, once it may. `enters` is called then. */
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

  /** Resets an established connection. A connection that still waits to connect is not affected. */
  breaks(port = this.port): void {
    if (port === this.port && !this.socket.connecting && !this.socket.destroyed) this.#reset()
  }

  /** The error is that of a reset by the other side. */
  #reset(): void {
    this.#fails('disconnected', 'read ECONNRESET', { code: 'ECONNRESET', syscall: 'read' })
  }

  /**
   * The port refuses the connection. The error is made here, because the operating system may have
   * given the port to another program.
   */
  refused(): void {
    const address = '127.0.0.1'
    const { port } = this
    const error = { code: 'ECONNREFUSED', syscall: 'connect', address, port }
    this.#fails('refused', `connect ECONNREFUSED ${address}:${port}`, error)
  }

  #fails(how: EndHeard, message: string, members: object): void {
    this.#over()
    // Its client has closed it and needs no error.
    if (this.socket.destroyed) return
    const fails = (): void => void this.socket.destroy(Object.assign(new Error(message), members))
    if (this.endsBySchedule) void this.#mayEnd(how).then(fails)
    else fails()
  }
}

/**
 * True if the error comes from the operating system. A client that gives up a connection uses other
 * errors.
 */
const isOfNetwork = (error: NodeJS.ErrnoException | null): boolean =>
  error?.code === 'ECONNRESET' || error?.code === 'EPIPE'
