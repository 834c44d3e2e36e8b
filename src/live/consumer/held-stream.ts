/**
 * A socket to a store in a run that follows a schedule. Written bytes count as accepted by the
 * operating system, and each part is sent when the schedule allows it. Received bytes are released
 * part by part. If a client closes its socket, bytes that the operating system has accepted are
 * still sent, and the connection ends after them.
 */
import net from 'node:net'
import type { EndHeard } from '../../contract/results/step.ts'
import type { BegunConnection } from '../host/protocol.ts'
import { type GateDecision, passGate, report } from './gates.ts'
import { holdIdleLimit, type IdleLimit } from './held-idle.ts'
import { connections, type WatchedConnection } from './rest.ts'
import { nextConnection, type WatchedSocket, writtenBytes } from './sent-command.ts'

/** The decision for traffic that is not a step: it passes at once. */
export const atOnce: GateDecision = { drop: false, reset: false, requestId: 0 }

/** The number of connections that were begun to each port. */
const begun = new Map<number, number>()

/** Parses the protocol of a connection. */
export interface HeldProtocol {
  /** Called with the bytes that the client writes. */
  leave(bytes: Buffer): void
  /** Called with the bytes that the server sends. */
  arrive(data: Buffer): void
  /** Called with the bytes that the server sends to a client that has closed its socket. */
  outlive(data: Buffer): void
}

export class HeldStream implements WatchedConnection {
  /** The number of requests that were sent and are unanswered. */
  underWay = 0
  listens = false
  /**
   * True if the client has ended its side of the connection and the other side has not. The end of
   * the other side is a step.
   */
  endUnderWay = false
  readonly connection = nextConnection()
  readonly begun: BegunConnection
  /** True if some data were released to the client. */
  #heard = false
  readonly #limit: IdleLimit
  #write: (part: Buffer) => void
  readonly #push: (data: Buffer | null) => boolean
  /** Queues that keep the order of outgoing and incoming parts. */
  #outgoing: Promise<void> = Promise.resolve()
  #incoming: Promise<void> = Promise.resolve()
  /** The number of parts that were not sent yet. */
  #held = 0
  /** True if the server or a fault has ended the connection. Parts that were not sent are lost. */
  #isOver = false
  #whenOver: () => void = () => {}
  /** Settles when the client may notice that the connection has ended; null before the end. */
  #ending: Promise<GateDecision> | null = null
  /**
   * The socket that takes over the connection if the client closed its socket before all parts were
   * sent.
   */
  #outlives: net.Socket | null = null

  constructor(
    private readonly socket: WatchedSocket,
    readonly port: number,
    private readonly protocol: HeldProtocol,
    /** True if the end of the connection is a step. */
    private readonly endsBySchedule = false,
  ) {
    const number = (begun.get(port) ?? 0) + 1
    begun.set(port, number)
    this.begun = { port, number }
    const write = socket._writeGeneric.bind(socket)
    this.#limit = holdIdleLimit(socket)
    this.#write = (part) => write(false, part, 'buffer' as BufferEncoding, () => {})
    socket._writeGeneric = (many, data, encoding, done) => {
      // If the socket is still connecting, Node calls this method again once the socket is
      // connected.
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

  /** The local port of the connection. */
  get localPort(): number {
    return this.socket.localPort ?? 0
  }

  /** Continues the connection under another socket, which the layer does not read. */
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

  /**
   * Sends the part after earlier writes, as soon as that is allowed. Calls `leaves` just before.
   */
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
   * Gives the data to the client after earlier data, as soon as that is allowed. Calls `enters`
   * just before.
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

  /** Resets an established connection. A connection that is not established yet is not affected. */
  breaks(port = this.port): void {
    if (port === this.port && !this.socket.connecting && !this.socket.destroyed) this.#reset()
  }

  /** Ends the connection with the error of a reset by the other side. */
  #reset(): void {
    this.#fails('disconnected', 'read ECONNRESET', { code: 'ECONNRESET', syscall: 'read' })
  }

  /**
   * Fails the connection as if the port had refused it. The error is made here, because the
   * operating system may have given the port to another program.
   */
  refused(): void {
    const address = '127.0.0.1'
    const { port } = this
    const error = { code: 'ECONNREFUSED', syscall: 'connect', address, port }
    this.#fails('refused', `connect ECONNREFUSED ${address}:${port}`, error)
  }

  #fails(how: EndHeard, message: string, members: object): void {
    this.#over()
    // The client has closed the socket itself, so it needs no error.
    if (this.socket.destroyed) return
    const fails = (): void => void this.socket.destroy(Object.assign(new Error(message), members))
    if (this.endsBySchedule) void this.#mayEnd(how).then(fails)
    else fails()
  }
}

/**
 * True if the error comes from the operating system. A client that abandons a connection uses other
 * errors.
 */
const isOfNetwork = (error: NodeJS.ErrnoException | null): boolean =>
  error?.code === 'ECONNRESET' || error?.code === 'EPIPE'
