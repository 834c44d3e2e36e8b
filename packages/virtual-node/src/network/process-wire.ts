import { assert } from '../assert.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { VirtualProcess } from '../runtime/process.ts'
import { noteConnect } from '../runtime/sending-notes.ts'
import type { Address, ByteStream, Endpoint } from '../runtime/transport.ts'
import type { Waiting } from './backlog.ts'
import { synTimeoutUs } from './connection.ts'
import { Inbox, type Reader } from './inbox.ts'
import { type Direction, Loopback } from './link.ts'
import { Pipe } from './pipe.ts'
import { cutAtCrash, type Data, type Segment } from './segment.ts'

type Flow = Pipe<Segment, VirtualProcess>

/** The socket that listens when SYN arrives. */
export interface Accepting {
  readonly process: VirtualProcess
  /** The connection is established, and waits for a turn of the process. */
  connects(waiting: Waiting): void
}

export interface Dial {
  readonly kernel: Kernel<VirtualProcess>
  readonly process: VirtualProcess
  readonly local: Address
  readonly endpoint: Endpoint
  readonly there: Direction
  readonly back: Direction
  /** Null if nothing listens. */
  readonly listens: () => Accepting | null
}

/**
 * A simulated TCP connection between two processes: handshake, two ordered flows, FIN from each
 * side, RST. The machines do the handshake; a paused process accepts later. Not simulated: what
 * `Connection` omits, and the ETIMEDOUT of an open connection after a quarter of an hour without an
 * answer.
 */
export class ProcessWire {
  readonly #toServer: Flow
  readonly #toClient: Flow
  readonly #client: WireSide
  #server: WireSide | null = null
  readonly #connects = noteConnect()

  constructor(private readonly dialled: Dial) {
    const { kernel, process, there, back, local, endpoint } = dialled
    this.#toServer = new Pipe(kernel, there, (segment) => this.#atServer(segment))
    this.#toClient = new Pipe(kernel, back, (segment) => this.#atClient(segment))
    this.#client = new WireSide(kernel, process, this.#toServer, there, 'connecting')
    this.#client.endpoint = endpoint
    this.#client.local = local
  }

  open(): ByteStream {
    const { kernel, process, there } = this.dialled
    process.whenRunning(() => this.#client.state === 'connecting' && this.#toServer.send({ kind: 'syn' }))
    if (!(there instanceof Loopback)) kernel.schedule(synTimeoutUs, null, () => this.#client.neverOpened())
    return this.#client
  }

  #atServer(segment: Segment): void {
    if (segment.kind === 'syn') this.#accept()
    else this.#server?.arrived(segment)
    this.#tidy()
  }

  #atClient(segment: Segment): void {
    this.#client.arrived(segment)
    this.#tidy()
  }

  #accept(): void {
    assert(this.#server === null, 'a process is asked once for a connection')
    const { kernel, listens, back } = this.dialled
    const target = listens()
    this.#toClient.send({ kind: target === null ? 'refused' : 'accepted' })
    if (target === null) return
    this.#server = new WireSide(kernel, target.process, this.#toClient, back, 'open')
    if (target.process === this.dialled.process) this.#server.acceptedIn = this.#connects
    target.connects(this.#server)
  }

  /** Closes the flows once both ends are closed and nothing is in flight. */
  #tidy(): void {
    if (this.#client.state !== 'closed' || (this.#server !== null && this.#server.state !== 'closed')) return
    const flows = [this.#toServer, this.#toClient]
    if (flows.every(({ underway }) => underway.length === 0)) for (const flow of flows) flow.close()
  }
}

/** The end of one process. */
class WireSide implements Waiting, Reader {
  endpoint: Endpoint | null = null
  local: Address | null = null
  acceptedIn: ReturnType<typeof noteConnect> = null
  readonly #inbox: Inbox
  hasFinished = false
  /** True if the handshake is over for the machine, even if the process polls later. */
  #answered = false
  /** True if the connection is established for the machine, even if the process polls later. */
  #established = false

  constructor(
    private readonly kernel: Kernel<VirtualProcess>,
    private readonly process: VirtualProcess,
    private readonly out: Flow,
    private readonly way: Direction,
    public state: 'connecting' | 'open' | 'closed',
  ) {
    this.#inbox = new Inbox(process, this, state === 'connecting' ? 'this process' : 'its peer')
  }

  accepted(accept: (stream: ByteStream) => Endpoint): void {
    assert(this.endpoint === null, 'a process accepts a connection once')
    const { acceptedIn } = this
    this.endpoint = acceptedIn === null ? accept(this) : acceptedIn(() => accept(this))
    this.#inbox.watch()
  }

  send(bytes: string): string | null {
    const error = this.#inbox.takeError()
    if (error === null && this.state === 'open' && !this.hasFinished) this.#depart({ kind: 'data', bytes, label: null })
    return error
  }

  finish(): boolean {
    if (this.state !== 'open') return this.#inbox.isBrokenUnseen
    if (this.hasFinished) return true
    this.hasFinished = true
    this.#depart({ kind: 'fin' })
    return true
  }

  #depart(segment: Segment): void {
    this.process.whenRunning(() => this.out.send(segment))
  }

  close(reset: boolean): void {
    const { hasUnreadData } = this.#inbox
    this.#inbox.clear()
    if (this.state === 'closed') return
    // The other end is notified even if the process never saw the connection open.
    const isEstablished = this.state === 'open' || this.#established
    this.state = 'closed'
    if (this.process.state === 'ended') this.#crash()
    // RFC 9293, 3.10.4: a connection that is closed before its SYN is answered disappears silently.
    else if (!isEstablished) this.out.cut(0)
    // RFC 2525, 2.17: closing with unread data sends a reset.
    else if (reset || hasUnreadData) this.#depart({ kind: 'rst' })
    else if (!this.hasFinished) this.#depart({ kind: 'fin' })
  }

  #crash(): void {
    // On a loopback, the other end belongs to the same process, which has ended.
    if (this.way instanceof Loopback) return this.out.close()
    cutAtCrash(this.out, this.way.chance)
    this.out.send({ kind: 'rst' })
  }

  neverOpened(): void {
    if (this.state !== 'connecting' || this.#answered) return
    this.state = 'closed'
    this.out.cut(0)
    this.kernel.turn(this.process, () => this.connectFailed('ETIMEDOUT'))
  }

  /** A segment arrives at this end's machine, in any state of its process. */
  arrived(segment: Segment): void {
    this.#answered = true
    if (segment.kind === 'accepted') this.#established = true
    if (this.state === 'closed') {
      // Data for a closed socket are answered with RST, and so is the answer to an abandoned SYN.
      if (segment.kind === 'data' || segment.kind === 'accepted') this.out.send({ kind: 'rst' })
    } else if (segment.kind === 'rst' && this.process.isBehind) {
      this.state = 'closed'
      this.#inbox.broke('ECONNRESET')
    } else this.#inbox.arrived(segment)
  }

  // Called by the inbox, in turns of the process.

  read(bytes: string): void {
    this.endpoint?.received(bytes)
  }

  hears(segment: Exclude<Segment, Data>): void {
    if (segment.kind === 'accepted') {
      assert(this.state === 'connecting', 'an end opens once, and not after it was closed')
      this.state = 'open'
      this.endpoint?.connected(this.local!)
    } else {
      this.state = 'closed'
      if (segment.kind === 'refused') this.connectFailed('ECONNREFUSED')
      else this.broken('ECONNRESET')
    }
  }

  ended(): void {
    this.endpoint?.ended()
  }

  broken(code: string): void {
    this.endpoint?.broken(code)
  }

  connectFailed(code: string): void {
    this.endpoint?.connectFailed(code)
  }
}
