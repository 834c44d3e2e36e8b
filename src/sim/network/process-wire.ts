import type { Kernel } from '../kernel/kernel.ts'
import type { VirtualProcess } from '../runtime/process.ts'
import type { Address, ByteStream, Endpoint } from '../runtime/transport.ts'
import { synTimeoutUs } from './connection.ts'
import { type Direction, Loopback } from './link.ts'
import { Pipe } from './pipe.ts'
import { cutAtCrash, type Segment } from './segment.ts'

type Flow = Pipe<Segment, VirtualProcess>

/** What listens at the moment when SYN arrives. */
export interface Accepting {
  readonly process: VirtualProcess
  /** Connections that wait for a turn of the process. */
  readonly backlog: Set<ByteStream>
  /** In a turn of the process. */
  accept(stream: ByteStream): Endpoint
}

export interface Dial {
  readonly kernel: Kernel<VirtualProcess>
  readonly process: VirtualProcess
  readonly local: Address
  readonly endpoint: Endpoint
  readonly there: Direction
  readonly back: Direction
  /** Null: nobody listens. */
  readonly listens: () => Accepting | null
}

/**
 * A simulated TCP connection between two processes: handshake, two ordered flows, FIN of each, RST. Machines shake hands;
 * a process that is paused accepts later. Left out: what `Connection` leaves out, and that an open connection gives up by
 * itself (ETIMEDOUT after a quarter of an hour).
 */
export class ProcessWire {
  readonly #toServer: Flow
  readonly #toClient: Flow
  readonly #client: WireSide
  #server: WireSide | null = null

  constructor(private readonly dialled: Dial) {
    const { kernel, process, there, back, local, endpoint } = dialled
    this.#toServer = new Pipe(kernel, there, (segment) => this.#atServer(segment))
    this.#toClient = new Pipe(kernel, back, (segment) => this.#atClient(segment))
    this.#client = new WireSide(kernel, process, this.#toServer, there)
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
    const { kernel, listens, back } = this.dialled
    const target = listens()
    this.#toClient.send({ kind: target === null ? 'refused' : 'accepted' })
    if (target === null) return
    const side = new WireSide(kernel, target.process, this.#toClient, back)
    this.#server = side
    side.state = 'open'
    target.backlog.add(side)
    kernel.turn(target.process, () => {
      target.backlog.delete(side)
      if (side.state === 'open') side.endpoint = target.accept(side)
    })
  }

  /** Nothing of it is left. */
  #tidy(): void {
    if (this.#client.state !== 'closed' || (this.#server !== null && this.#server.state !== 'closed')) return
    const flows = [this.#toServer, this.#toClient]
    if (flows.every(({ underway }) => underway.length === 0)) for (const flow of flows) flow.close()
  }
}

/** One process's end. */
class WireSide implements ByteStream {
  state: 'connecting' | 'open' | 'closed' = 'connecting'
  endpoint: Endpoint | null = null
  local: Address | null = null
  #finished = false
  /** The handshake is over as far as the machine is concerned, whenever the process looks. */
  #answered = false
  /** So is that the other end has a connection. */
  #established = false
  /** Segments of data that the machine has received and the process has not read. */
  #unread = 0

  constructor(
    private readonly kernel: Kernel<VirtualProcess>,
    private readonly process: VirtualProcess,
    private readonly out: Flow,
    private readonly way: Direction,
  ) {}

  send(bytes: string): null {
    if (this.state === 'open' && !this.#finished) this.#depart({ kind: 'data', bytes, label: null })
    return null
  }

  finish(): boolean {
    if (this.state !== 'open') return false
    if (this.#finished) return true
    this.#finished = true
    this.#depart({ kind: 'fin' })
    return true
  }

  #depart(segment: Segment): void {
    this.process.whenRunning(() => this.out.send(segment))
  }

  close(reset: boolean): void {
    if (this.state === 'closed') return
    // The other end is told of one that the process never saw open, too.
    const isEstablished = this.state === 'open' || this.#established
    this.state = 'closed'
    if (this.process.state === 'ended') this.#crash()
    // RFC 9293, 3.10.4: one that is closed before its SYN is answered is gone without a word.
    else if (!isEstablished) this.out.cut(0)
    // RFC 2525, 2.17: who closes with data that he has not read resets.
    else if (reset || this.#unread > 0) this.#depart({ kind: 'rst' })
    else if (!this.#finished) this.#depart({ kind: 'fin' })
  }

  #crash(): void {
    // On a loopback the other end is gone too.
    if (this.way instanceof Loopback) return this.out.close()
    cutAtCrash(this.out, this.way.chance)
    this.out.send({ kind: 'rst' })
  }

  neverOpened(): void {
    if (this.state !== 'connecting' || this.#answered) return
    this.state = 'closed'
    this.out.cut(0)
    this.kernel.turn(this.process, () => this.endpoint?.connectFailed('ETIMEDOUT'))
  }

  /** At this end's machine, whatever its process is doing. */
  arrived(segment: Segment): void {
    this.#answered = true
    if (segment.kind === 'accepted') this.#established = true
    if (segment.kind === 'data') this.#unread++
    if (this.state !== 'closed') this.kernel.turn(this.process, () => this.#tell(segment))
    // Data for a socket that is gone is answered with RST, as is an answer to a SYN that nobody waits for.
    else if (segment.kind === 'data' || segment.kind === 'accepted') this.out.send({ kind: 'rst' })
  }

  #tell(segment: Segment): void {
    const { endpoint } = this
    if (segment.kind === 'data') this.#unread--
    if (this.state === 'closed' || endpoint === null) return
    if (segment.kind === 'data') endpoint.received(segment.bytes)
    else if (segment.kind === 'fin') endpoint.ended()
    else if (segment.kind === 'accepted') {
      this.state = 'open'
      endpoint.connected(this.local!)
    } else {
      this.state = 'closed'
      if (segment.kind === 'refused') endpoint.connectFailed('ECONNREFUSED')
      else endpoint.broken('ECONNRESET')
    }
  }
}
