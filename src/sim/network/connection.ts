import type { QueuedEvent } from '../kernel/event-queue.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { inNextRound } from '../runtime/next-round.ts'
import type { VirtualProcess } from '../runtime/process.ts'
import type { ByteStream, Endpoint } from '../runtime/transport.ts'
import type { ClientSide, Listener, ServerEnd } from './client-side.ts'
import type { Link } from './link.ts'
import { Pipe } from './pipe.ts'
import { cutAtCrash, nameOfSegment, type Segment } from './segment.ts'

/** Who watches the commands and replies of a connection pass. */
export interface Tap {
  /** The process asks for it. */
  begins?(connection: Connection): void
  /** The process's end is open. */
  opened(connection: Connection): void
  /** A client hands these bytes over. */
  sending(connection: Connection, bytes: string): void
  /** Names the command in bytes that are about to leave the process; null for what is not counted. */
  label(connection: Connection, bytes: string): string | null
  /** False stops the bytes: they never leave. `label` names the first command in them. */
  leaving(connection: Connection, label: string, bytes: string): boolean
  /** False stops the reply: the process never sees it. */
  arriving(connection: Connection, label: string): boolean
  /** The process hears something that answers no labelled command. */
  hearing(connection: Connection, bytes: string): void
  /** The process hears that nobody listens there, or that the connection has ended; perhaps of an end and then of a reset. */
  over?(connection: Connection, how: 'refused' | 'disconnected'): void
  /** A labelled request or reply will never arrive. */
  lost(connection: Connection, what: 'request' | 'reply', label: string): void
}

/** Linux: six SYN retries before connect() fails with ETIMEDOUT (tcp(7), tcp_syn_retries). */
export const synTimeoutUs = 127_000_000
/** Linux: fifteen retransmissions before a connection fails with ETIMEDOUT (tcp(7), tcp_retries2). */
const retransmitTimeoutUs = 924_600_000
/** Bytes that libuv reads at once (uv__alloc_cb of Node: 64 KiB). */
const readSize = 65_536

/**
 * One simulated TCP connection from a process to a node: handshake, two ordered flows, FIN, RST. A partition holds
 * what it stops, so that either end can live on half-open; one that is forgotten on its way loses it. Left out: keep-alive probes, window sizes, Nagle, and that
 * libuv tells of an end instead of a reset where the last data and RST come in one poll of a process that is not paused.
 */
export class Connection implements ByteStream, ClientSide {
  state: 'connecting' | 'open' | 'closed' = 'connecting'
  server: ServerEnd | null = null
  hungUpUs: number | null = null
  readonly #out: Pipe<Segment, VirtualProcess>
  readonly #in: Pipe<Segment, VirtualProcess>
  #listener: Listener | null = null
  /** What the server says while it accepts: it follows the answer to SYN. */
  #early: Segment[] | null = null
  #synTimer: QueuedEvent<VirtualProcess> | null = null
  #finished = false
  #forgotten = false
  /** It broke, or never came about: nothing that the process hands over goes anywhere. */
  #dropped = false
  /** What has come in and the process has not read. */
  readonly #unread: Segment[] = []
  /** It broke while the process was paused, which has not learnt of it: the code that a write fails with. */
  #brokenUnseen: string | null = null
  #retransmitTimer: QueuedEvent<VirtualProcess> | null = null

  constructor(
    readonly kernel: Kernel<VirtualProcess>,
    readonly process: VirtualProcess,
    readonly link: Link,
    readonly local: { address: string; port: number },
    readonly endpoint: Endpoint,
    readonly node: string,
    public tap: Tap | null,
  ) {
    this.#out = new Pipe(
      kernel,
      link.toNode,
      (segment) => this.#atServer(segment),
      () => this.#watchRetransmission(),
      nameOfSegment,
    )
    this.#in = new Pipe(kernel, link.toProcess, (segment) => this.#atProcess(segment), null, nameOfSegment)
  }

  /** The run is over: see `VirtualProcess.dispose`. */
  dispose(): void {
    this.#listener = null
    this.server = null
    this.tap = null
  }

  /** SYN, and what comes back. */
  open(listener: Listener | null): void {
    this.#listener = listener
    this.tap?.begins?.(this)
    // RFC 9293, 3.10.4: a connection that is closed before its SYN is answered is gone without a word.
    this.process.whenRunning(() => this.state === 'connecting' && this.#out.send({ kind: 'syn' }))
    this.#synTimer = this.kernel.schedule(synTimeoutUs, null, () => {
      const { server } = this
      this.#drop()
      server?.closed()
      this.#turn(() => this.endpoint.connectFailed('ETIMEDOUT'))
    })
  }

  #accept(): void {
    const early: Segment[] = []
    this.#early = early
    const server = this.#listener?.accept(this) ?? null
    this.#early = null
    this.server = early.at(-1)?.kind === 'fin' ? null : server
    this.#in.send({ kind: server === null ? 'refused' : 'accepted' })
    for (const segment of early) this.#in.send(segment)
  }

  #turn(callback: () => void): void {
    this.kernel.turn(this.process, callback)
  }

  // The process's side.

  send(bytes: string): string | null {
    if (this.#brokenUnseen !== null) return this.#writeFails(this.#brokenUnseen)
    if (this.state !== 'open' || this.#finished) return null
    this.tap?.sending(this, bytes)
    const label = this.tap?.label(this, bytes) ?? null
    if (label !== null && !this.tap!.leaving(this, label, bytes)) return null
    this.process.whenRunning(() => {
      // It broke while the process stood still, just before these bytes. What the process closed itself still sends them.
      if (this.#dropped) return void (label !== null && this.tap?.lost(this, 'request', label))
      if (this.#forgotten) this.#goesNowhere(label)
      else this.#out.send({ kind: 'data', bytes, label })
    })
    return null
  }

  /** The socket is gone with it, and what it had not read. */
  #writeFails(code: string): string {
    this.#brokenUnseen = null
    return code
  }

  #goesNowhere(label: string | null): void {
    if (label !== null) this.tap?.lost(this, 'request', label)
    this.#watchRetransmission()
  }

  /** Something stands still: after long enough, the process's end gives up. The server learns nothing of it. */
  #watchRetransmission(): void {
    if (this.state !== 'open' || this.#retransmitTimer !== null) return
    this.#retransmitTimer = this.kernel.schedule(retransmitTimeoutUs, null, () => {
      this.#drop()
      this.#tellBroken('ETIMEDOUT')
    })
  }

  /** Linux has one error for a connection that was never looked at (SO_ERROR), though it may have stood for a while. */
  #tellUnconnected(code: string): void {
    const seen = this.#seenAs(code)
    this.kernel.schedule(0, this.process, () => {
      this.tap?.over?.(this, 'disconnected')
      this.endpoint.connectFailed(seen)
    })
  }

  /** Linux, tcp_reset: of a connection that its peer has ended it is EPIPE. */
  #seenAs(code: string): string {
    return this.#unread.some(({ kind }) => kind === 'fin') ? 'EPIPE' : code
  }

  /**
   * A process that was paused reads what has come in first (Linux looks at what was received before it looks at the error).
   * Since that comes in one poll with what broke the connection, libuv then tells of an end (uv__stream_eof on POLLHUP).
   */
  #tellBroken(code: string): void {
    if (this.process.state !== 'paused')
      return void this.kernel.schedule(0, this.process, () => {
        this.tap?.over?.(this, 'disconnected')
        this.endpoint.broken(code)
      })
    const isUnread = this.#unread.length > 0
    this.#brokenUnseen = this.#seenAs(code)
    this.kernel.schedule(0, this.process, () => {
      if (this.#brokenUnseen === null) return
      this.#brokenUnseen = null
      this.tap?.over?.(this, 'disconnected')
      if (isUnread) this.endpoint.ended()
      else this.endpoint.broken(code)
    })
  }

  finish(): boolean {
    if (this.state !== 'open') return false
    if (this.#finished) return true
    this.#finished = true
    this.process.whenRunning(() => (this.#forgotten ? this.#goesNowhere(null) : this.#out.send({ kind: 'fin' })))
    return true
  }

  close(reset: boolean): void {
    this.#brokenUnseen = null
    if (this.state === 'closed') return
    const wasOpen = this.state === 'open'
    this.hungUpUs = this.kernel.nowUs
    this.#shut()
    this.#lose(this.#in, 'reply')
    if (this.#forgotten) return
    if (!wasOpen && this.server === null) this.#out.close()
    else if (this.process.state === 'ended') this.#cutAtCrash()
    else if (reset || !this.#finished) this.process.whenRunning(() => this.#out.send({ kind: reset ? 'rst' : 'fin' }))
  }

  #cutAtCrash(): void {
    // A pipeline cut in its middle: nobody can say here which of its commands are lost.
    this.#tellLost(cutAtCrash(this.#out, this.link.toNode.chance), 'request')
    this.#out.send({ kind: 'rst' })
  }

  // The server's side.

  /** The server sends; `label` names the command that is answered. */
  reply(bytes: string, label: string | null): void {
    if (this.#early !== null) this.#early.push({ kind: 'data', bytes, label })
    else if (this.server !== null && this.state !== 'closed' && !this.#forgotten)
      this.#in.send({ kind: 'data', bytes, label })
    else if (label !== null) this.tap?.lost(this, 'reply', label)
  }

  /** The server closes in order. */
  serverClose(): void {
    if (this.#early !== null) this.#early.push({ kind: 'fin' })
    if (this.server === null) return
    this.server = null
    if (!this.#forgotten) this.#in.send({ kind: 'fin' })
  }

  /** Whether anything can pass, a reset too. */
  get isAlive(): boolean {
    return this.state === 'open' && !this.#forgotten
  }

  /**
   * What lies between (a NAT, a firewall) forgets the connection: what is under way and all that follows is lost. Neither
   * end is told. The process's gives up once something that it sent has been unacknowledged for long enough. False where
   * there was nothing to forget.
   */
  forget(): boolean {
    if (!this.isAlive) return false
    this.#forgotten = true
    const isUnacknowledged = this.#out.underway.length > 0
    this.#lose(this.#in, 'reply')
    this.#lose(this.#out, 'request')
    if (isUnacknowledged) this.#watchRetransmission()
    return true
  }

  /** The connection breaks for both ends at once; what was under way is lost. Of one that was forgotten, the server's only. */
  break(code: string): void {
    const { server } = this
    const before = this.state
    if (this.#forgotten) {
      this.server = null
      server?.closed()
      return
    }
    this.#drop()
    server?.closed()
    if (before === 'open') this.#tellBroken(code)
    else if (before === 'connecting') this.#tellUnconnected(code)
  }

  #shut(): void {
    this.state = 'closed'
    this.#synTimer = this.#stop(this.#synTimer)
    this.#retransmitTimer = this.#stop(this.#retransmitTimer)
  }

  #stop(timer: QueuedEvent<VirtualProcess> | null): null {
    if (timer !== null) this.kernel.cancel(timer)
    return null
  }

  #drop(): void {
    this.#dropped = true
    this.#shut()
    this.server = null
    this.#lose(this.#in, 'reply')
    this.#lose(this.#out, 'request')
  }

  #lose(pipe: Pipe<Segment, VirtualProcess>, what: 'request' | 'reply'): void {
    this.#tellLost(pipe.underway, what)
    pipe.close()
  }

  #tellLost(segments: readonly Segment[], what: 'request' | 'reply'): void {
    if (this.tap === null) return
    for (const segment of segments)
      if (segment.kind === 'data' && segment.label !== null) this.tap.lost(this, what, segment.label)
  }

  #atServer(segment: Segment): void {
    const { server } = this
    this.#retransmitTimer = this.#stop(this.#retransmitTimer)
    if (segment.kind === 'syn') return this.#accept()
    if (segment.kind === 'data') {
      if (server !== null) server.received(segment.bytes)
      // Data for a socket that is gone is answered with RST.
      else this.#in.send({ kind: 'rst' })
      return
    }
    if (this.state === 'closed') this.#out.close()
    if (server === null) return
    if (segment.kind !== 'fin') {
      this.server = null
      return server.closed()
    }
    server.closed(() => {
      if (this.server !== server) return
      this.server = null
      this.#in.send({ kind: 'fin' })
    })
  }

  #atProcess(segment: Segment): void {
    if (this.state === 'closed') return
    if (segment.kind === 'data' && segment.label !== null && !this.tap!.arriving(this, segment.label)) return
    // The handshake is over as far as the machine is concerned, whenever the process looks.
    this.#synTimer = this.#stop(this.#synTimer)
    if (segment.kind === 'rst' && this.process.state === 'paused') {
      const { state } = this
      this.#drop()
      return state === 'open' ? this.#tellBroken('ECONNRESET') : this.#tellUnconnected('ECONNRESET')
    }
    this.#unread.push(segment)
    this.#turn(() => this.#read())
  }

  /** What came in several segments while the process could not look is one read. */
  #read(): void {
    const [first] = this.#unread
    // It was read with another.
    if (first === undefined) return
    if (this.state === 'closed' && this.#brokenUnseen === null) {
      this.#unread.length = 0
      return
    }
    if (first.kind !== 'data') {
      this.#unread.shift()
      return this.#tell(first)
    }
    let bytes = ''
    for (
      let next = this.#unread[0];
      next?.kind === 'data' && (bytes === '' || bytes.length + next.bytes.length <= readSize);
      next = this.#unread[0]
    ) {
      this.#unread.shift()
      if (next.label === null) this.tap?.hearing(this, next.bytes)
      bytes += next.bytes
    }
    this.#endLater()
    this.endpoint.received(bytes)
  }

  /** libuv reads an end after data in the next round of its loop, after the immediates, unless the connection broke as well. */
  #endLater(): void {
    const [next] = this.#unread
    if (next?.kind !== 'fin' || this.#brokenUnseen !== null) return
    this.#unread.shift()
    // Timers that are due come before that, where they come after sockets at all.
    const { kernel, process } = this
    inNextRound(kernel, () => kernel.schedule(0, process, () => this.state !== 'closed' && this.#tell(next)))
  }

  #tell(segment: Exclude<Segment, { kind: 'data' }>): void {
    if (segment.kind === 'accepted') {
      this.state = 'open'
      this.tap?.opened(this)
      return this.endpoint.connected(this.local)
    }
    this.tap?.over?.(this, segment.kind === 'refused' ? 'refused' : 'disconnected')
    if (segment.kind === 'refused') {
      this.#drop()
      this.endpoint.connectFailed('ECONNREFUSED')
    } else if (segment.kind === 'fin') {
      this.#brokenUnseen = null
      this.endpoint.ended()
    } else {
      this.#drop()
      this.endpoint.broken('ECONNRESET')
    }
  }
}
