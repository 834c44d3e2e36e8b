import { assert } from '../assert.ts'
import type { QueuedEvent } from '../kernel/event-queue.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { VirtualProcess } from '../runtime/process.ts'
import type { ByteStream, Endpoint } from '../runtime/transport.ts'
import type { ClientSide, Listener, ServerEnd } from './client-side.ts'
import { Inbox, type Reader } from './inbox.ts'
import type { Link } from './link.ts'
import { Pipe } from './pipe.ts'
import { cutAtCrash, type Data, nameOfSegment, type Segment } from './segment.ts'

/** Watches the commands and replies that pass on a connection. */
export interface Tap {
  /** The process requests the connection. */
  begins?(connection: Connection): void
  /** The process's end is open. */
  opened(connection: Connection): void
  /** A client writes these bytes. */
  sending(connection: Connection, bytes: string): void
  /**
   * The label of the command in bytes that are about to leave the process; null if it is not
   * counted.
   */
  label(connection: Connection, bytes: string): string | null
  /** False stops the bytes: they never leave. `label` names the first command in them. */
  leaving(connection: Connection, label: string, bytes: string): boolean
  /** False stops the reply: the process never sees it. */
  arriving(connection: Connection, label: string): boolean
  /** The process receives something that answers no labelled command. */
  hearing(connection: Connection, bytes: string): void
  /**
   * The process learns that nothing listens at the address, or that the connection has ended. It
   * may learn of an end and then of a reset.
   */
  over?(connection: Connection, how: 'refused' | 'disconnected'): void
  /** The process's machine ends the connection, because nothing answered on it for too long. */
  gaveUp?(connection: Connection): void
  /** A labelled request or reply will never arrive. */
  lost(connection: Connection, what: 'request' | 'reply', label: string): void
}

/** Linux: six SYN retries before connect() fails with ETIMEDOUT (tcp(7), tcp_syn_retries). */
export const synTimeoutUs = 127_000_000
/**
 * Linux: fifteen retransmissions before a connection fails with ETIMEDOUT (tcp(7), tcp_retries2).
 */
const retransmitTimeoutUs = 924_600_000

/**
 * One simulated TCP connection from a process to a node: handshake, two ordered flows, FIN, RST. A
 * partition holds the segments that it stops, so either end can stay half-open. If the connection
 * is forgotten on its way, the segments are lost, and keep-alive probes detect that. Not simulated:
 * probes during a partition, probes of servers, window sizes, and Nagle's algorithm. One more
 * effect is not simulated: libuv reports an end instead of a reset if the last data and RST come in
 * one poll of a process that is not paused.
 */
export class Connection implements ByteStream, ClientSide, Reader {
  state: 'connecting' | 'open' | 'closed' = 'connecting'
  server: ServerEnd | null = null
  hungUpUs: number | null = null
  readonly #out: Pipe<Segment, VirtualProcess>
  readonly #in: Pipe<Segment, VirtualProcess>
  #listener: Listener | null = null
  /** Output that the server writes while it accepts. It is sent after the answer to SYN. */
  #early: Segment[] | null = null
  #synTimer: QueuedEvent<VirtualProcess> | null = null
  #finished = false
  #forgotten = false
  /** The server's last output, its turn, and whether all of it was announced. */
  #said: { readonly data: Data; readonly turn: number; readonly isAnnounced: boolean } | null = null
  /** True if the connection broke or never opened: bytes from the process are dropped. */
  #dropped = false
  readonly #inbox: Inbox
  #retransmitTimer: QueuedEvent<VirtualProcess> | null = null
  /**
   * After this time without an answer to probes, the process's end gives up; null if it sends no
   * probes.
   */
  #keepAliveUs: number | null = null
  #keepAliveTimer: QueuedEvent<VirtualProcess> | null = null

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
    this.#inbox = new Inbox(process, this, 'this process')
  }

  /** Called when the run is over; see `VirtualProcess.dispose`. */
  dispose(): void {
    this.#listener = null
    this.server = null
    this.tap = null
  }

  /** Sends SYN and handles the answer. */
  open(listener: Listener | null): void {
    assert(this.#synTimer === null && this.state === 'connecting', 'a connection is opened once')
    this.#listener = listener
    this.tap?.begins?.(this)
    // RFC 9293, 3.10.4: a connection that is closed before its SYN is answered disappears silently.
    this.process.whenRunning(() => this.state === 'connecting' && this.#out.send({ kind: 'syn' }))
    this.#synTimer = this.kernel.schedule(synTimeoutUs, null, () => {
      assert(this.state === 'connecting', 'only an unanswered SYN gives up')
      const { server } = this
      this.#drop()
      server?.closed()
      this.#turn(() => this.endpoint.connectFailed('ETIMEDOUT'))
    })
  }

  #accept(): void {
    assert(this.server === null, 'a server accepts a connection once')
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
    const error = this.#inbox.takeError()
    if (error !== null) return error
    if (this.state !== 'open' || this.#finished) return null
    this.tap?.sending(this, bytes)
    const label = this.tap?.label(this, bytes) ?? null
    if (label !== null && !this.tap!.leaving(this, label, bytes)) return null
    this.process.whenRunning(() => {
      // The connection broke while the process was paused, before these bytes were sent. If the
      // process closed the connection itself, they are still sent.
      if (this.#dropped) return void (label !== null && this.tap?.lost(this, 'request', label))
      if (this.#forgotten) this.#goesNowhere(label)
      else this.#out.send({ kind: 'data', bytes, label })
    })
    return null
  }

  /** Linux probes only an idle connection: unacknowledged data are retransmitted instead. */
  keepAlive(giveUpUs: number | null): void {
    this.#keepAliveUs = giveUpUs
    this.#keepAliveTimer = this.#stop(this.#keepAliveTimer)
    if (this.#forgotten) this.#probe()
  }

  #probe(): void {
    if (this.#keepAliveUs === null || this.state !== 'open' || this.#retransmitTimer !== null) return
    this.#keepAliveTimer = this.kernel.schedule(this.#keepAliveUs, null, () => this.#giveUp())
  }

  #goesNowhere(label: string | null): void {
    if (label !== null) this.tap?.lost(this, 'request', label)
    this.#watchRetransmission()
  }

  /**
   * If data make no progress for long enough, the process's end gives up. The server is not
   * notified.
   */
  #watchRetransmission(): void {
    if (this.state !== 'open' || this.#retransmitTimer !== null) return
    this.#keepAliveTimer = this.#stop(this.#keepAliveTimer)
    this.#retransmitTimer = this.kernel.schedule(retransmitTimeoutUs, null, () => this.#giveUp())
  }

  #giveUp(): void {
    assert(this.state === 'open', 'only an open connection is given up')
    this.tap?.gaveUp?.(this)
    this.#drop()
    this.#reportBroken('ETIMEDOUT')
  }

  /** Reports to the process, in a separate turn, that the connection broke. */
  #reportBroken(code: string, before: 'connecting' | 'open' = 'open'): void {
    if (this.process.isBehind) return this.#inbox.broke(code)
    this.kernel.schedule(0, this.process, () => (before === 'open' ? this.broken(code) : this.connectFailed(code)))
  }

  finish(): boolean {
    if (this.state !== 'open') return this.#inbox.isBrokenUnseen
    if (this.#finished) return true
    this.#finished = true
    this.process.whenRunning(() => (this.#forgotten ? this.#goesNowhere(null) : this.#out.send({ kind: 'fin' })))
    return true
  }

  close(reset: boolean): void {
    this.#inbox.clear()
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
    // A pipeline that was cut in its middle is not reported, because it is unknown which of its
    // commands are lost.
    this.#reportLost(cutAtCrash(this.#out, this.link.toNode.chance), 'request')
    this.#out.send({ kind: 'rst' })
  }

  // The server's side.

  /** The server sends; `label` names the answered command. */
  reply(bytes: string, label: string | null): void {
    this.#say({ kind: 'data', bytes, label }, false)
  }

  announce(bytes: string): void {
    this.#say({ kind: 'data', bytes, label: null }, true)
  }

  #say(data: Data, isAnnounced: boolean): void {
    const { label } = data
    if (this.#early !== null) this.#early.push(data)
    else if (this.server !== null && this.state !== 'closed' && !this.#forgotten) this.#write(data, isAnnounced)
    else if (label !== null) this.tap?.lost(this, 'reply', label)
  }

  /**
   * Redis collects the output of a turn of its event loop, and writes it before it sleeps
   * (handleClientsWithPendingWrites), so an announcement arrives in one read with the reply next to
   * it. Replies of one turn are still sent separately, because each reply has its own latency.
   */
  #write(data: Data, isAnnounced: boolean): void {
    const { turns } = this.kernel
    const before = this.#said
    if (before === null || before.turn !== turns || !(isAnnounced || before.isAnnounced)) {
      this.#said = { data, turn: turns, isAnnounced }
      return this.#in.send(data)
    }
    const bytes = before.data.bytes + data.bytes
    const both: Data = { kind: 'data', bytes, label: before.data.label ?? data.label }
    this.#said = { data: both, turn: turns, isAnnounced: isAnnounced && before.isAnnounced }
    this.#in.replaceLast(both)
  }

  /** The server closes in order. */
  serverClose(): void {
    if (this.#early !== null) this.#early.push({ kind: 'fin' })
    if (this.server === null) return
    this.server = null
    if (!this.#forgotten) this.#in.send({ kind: 'fin' })
  }

  /** True if anything can pass, including a reset. */
  get isAlive(): boolean {
    return this.state === 'open' && !this.#forgotten
  }

  /**
   * A middlebox (a NAT, a firewall) forgets the connection: data in flight and all later data are
   * lost. Neither end is notified. The process's end gives up once something that it sent has been
   * unacknowledged for long enough. Returns false if there was nothing to forget.
   */
  forget(): boolean {
    if (!this.isAlive) return false
    this.#forgotten = true
    const isUnacknowledged = this.#out.underway.length > 0
    this.#lose(this.#in, 'reply')
    this.#lose(this.#out, 'request')
    if (isUnacknowledged) this.#watchRetransmission()
    else this.#probe()
    this.server?.forgotten?.()
    return true
  }

  /**
   * True if the connection was forgotten on its way and the process's end is still open.
   */
  get isForgotten(): boolean {
    return this.state === 'open' && this.#forgotten
  }

  /** True while a timer runs after which the process's machine gives the connection up. */
  get isTimed(): boolean {
    return this.#synTimer !== null || this.#retransmitTimer !== null || this.#keepAliveTimer !== null
  }

  /**
   * The connection breaks for both ends at once; data in flight are lost. If it was forgotten, it
   * breaks for the server only.
   */
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
    if (before !== 'closed') this.#reportBroken(code, before)
  }

  #shut(): void {
    this.state = 'closed'
    this.#synTimer = this.#stop(this.#synTimer)
    this.#retransmitTimer = this.#stop(this.#retransmitTimer)
    this.#keepAliveTimer = this.#stop(this.#keepAliveTimer)
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
    this.#reportLost(pipe.underway, what)
    pipe.close()
  }

  #reportLost(segments: readonly Segment[], what: 'request' | 'reply'): void {
    if (this.tap === null) return
    for (const segment of segments)
      if (segment.kind === 'data' && segment.label !== null) this.tap.lost(this, what, segment.label)
  }

  #atServer(segment: Segment): void {
    const { server } = this
    this.#retransmitTimer = this.#stop(this.#retransmitTimer)
    if (segment.kind === 'syn') return this.#accept()
    if (segment.kind === 'data') {
      if (server !== null) return server.received(segment.bytes)
      // Data for a closed socket are answered with RST.
      this.#reportLost([segment], 'request')
      return this.#in.send({ kind: 'rst' })
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
    // For the machine, the handshake is over, even if the process polls the connection later.
    this.#synTimer = this.#stop(this.#synTimer)
    if (segment.kind === 'rst' && this.process.isBehind) {
      this.#drop()
      this.#inbox.broke('ECONNRESET')
    } else this.#inbox.arrived(segment)
  }

  // Called by the inbox, in turns of the process.

  get hasFinished(): boolean {
    return this.#finished
  }

  read(bytes: string, begun: readonly Data[]): void {
    for (const { label, bytes } of begun) if (label === null) this.tap?.hearing(this, bytes)
    this.endpoint.received(bytes)
  }

  hears(segment: Exclude<Segment, Data>): void {
    if (segment.kind === 'accepted') {
      assert(this.state === 'connecting', 'a connection opens once, and not after it was closed')
      this.state = 'open'
      this.tap?.opened(this)
      return this.endpoint.connected(this.local)
    }
    this.tap?.over?.(this, segment.kind === 'refused' ? 'refused' : 'disconnected')
    this.#drop()
    if (segment.kind === 'refused') this.endpoint.connectFailed('ECONNREFUSED')
    else this.endpoint.broken('ECONNRESET')
  }

  ended(): void {
    this.tap?.over?.(this, 'disconnected')
    this.endpoint.ended()
  }

  broken(code: string): void {
    this.tap?.over?.(this, 'disconnected')
    this.endpoint.broken(code)
  }

  connectFailed(code: string): void {
    this.tap?.over?.(this, 'disconnected')
    this.endpoint.connectFailed(code)
  }
}
