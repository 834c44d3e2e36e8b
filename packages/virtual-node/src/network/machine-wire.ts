import { assert } from '../assert.ts'
import type { QueuedEvent } from '../kernel/event-queue.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { VirtualProcess } from '../runtime/process.ts'
import type { ClientSide, Listener, ServerEnd } from './client-side.ts'
import type { Direction } from './link.ts'
import { Pipe } from './pipe.ts'

/** The content between machines: bytes as a latin1 string, or a message object. */
export type Content = string | object

/** The side that dialled; its methods are called with the events of the connection. */
export interface Dialler {
  opened(local: string): void
  received(bytes: string): void
  heard?(message: object): void
  /**
   * Takes a message that this side has received before, at once. Returns false if the message is
   * new, or cannot be taken now.
   */
  repeated?(message: object): boolean
  closed(why: 'end' | 'ECONNREFUSED' | 'ECONNRESET' | 'ETIMEDOUT'): void
}

type Segment = { readonly kind: 'syn' | 'accepted' | 'refused' | 'fin' | 'rst' } | { readonly content: Content }

/** Linux: six SYN retries before connect() fails with ETIMEDOUT (tcp(7), tcp_syn_retries). */
const synTimeoutUs = 127_000_000

/**
 * A simulated TCP connection between two machines of a Redis deployment. Its flows work like those
 * of `Connection`, but without turns and crashes of processes: a machine is either up or down. Also
 * not simulated: ETIMEDOUT of an open connection (replicas and Sentinels give up much earlier, by
 * their own timers), and half-closed connections. Content that changes nothing at the other end may
 * skip the network (`far`, `repeat`) while the connection is open, nothing is in flight on it and
 * both directions are free. If a direction is blocked, a machine dies or stalls, or content is in
 * flight, all content goes over the network.
 */
export class MachineWire implements ClientSide {
  readonly process = null
  readonly hungUpUs = null
  #state: 'connecting' | 'open' | 'closed' = 'connecting'
  #server: ServerEnd | null = null
  readonly #out: Pipe<Segment, VirtualProcess>
  readonly #in: Pipe<Segment, VirtualProcess>
  /** Content written before the connection opened. */
  #unsent: Content[] = []
  /** The number of messages in flight, in both directions. */
  #underway = 0
  #synTimer: QueuedEvent<VirtualProcess> | null = null

  constructor(
    private readonly kernel: Kernel<VirtualProcess>,
    private readonly there: Direction,
    private readonly back: Direction,
    readonly local: { readonly address: string; readonly port: number },
    private readonly listener: () => Listener | null,
    private readonly end: Dialler,
  ) {
    this.#out = new Pipe(kernel, there, (segment) => this.#atServer(segment))
    this.#in = new Pipe(kernel, back, (segment) => this.#atDialler(segment))
    this.#send(this.#out, { kind: 'syn' })
    this.#synTimer = kernel.schedule(synTimeoutUs, null, () => this.#fail('ETIMEDOUT'))
  }

  // The side that dialled.

  write(content: Content): void {
    if (this.#state === 'connecting') this.#unsent.push(content)
    else if (this.#state === 'open') this.#send(this.#out, { content })
  }

  /** The other end, if neither new content nor the answer to it would have to wait. */
  get far(): object | null {
    return this.#isClear ? (this.#server?.far?.() ?? null) : null
  }

  get #isClear(): boolean {
    return this.#state === 'open' && this.#underway === 0 && !this.there.blocked && !this.back.blocked
  }

  #send(pipe: Pipe<Segment, VirtualProcess>, segment: Segment): void {
    this.#underway++
    pipe.send(segment)
  }

  #hasArrived(): void {
    this.#underway--
    assert(this.#underway >= 0, 'machines receive no more than was sent')
  }

  close(): void {
    if (this.#state === 'closed') return
    this.#shut()
    this.#in.close()
    this.#send(this.#out, { kind: 'fin' })
  }

  // The side that accepted.

  reply(bytes: string): void {
    if (this.#server !== null) this.#send(this.#in, { content: bytes })
  }

  announce(bytes: string): void {
    this.reply(bytes)
  }

  report(message: object): void {
    if (this.#server !== null) this.#send(this.#in, { content: message })
  }

  repeat(message: object): boolean {
    return this.#server !== null && this.#isClear && this.end.repeated?.(message) === true
  }

  serverClose(): void {
    if (this.#server === null) return
    this.#server = null
    this.#send(this.#in, { kind: 'fin' })
  }

  /** The accepting machine died. The other machine is notified once no partition is in the way. */
  break(): void {
    if (this.#server === null) return
    this.#server = null
    this.#send(this.#in, { kind: 'rst' })
  }

  #atServer(segment: Segment): void {
    this.#hasArrived()
    if ('content' in segment) {
      if (this.#server !== null) take(this.#server, segment.content)
      else this.#send(this.#in, { kind: 'rst' })
    } else if (segment.kind === 'syn') {
      assert(this.#server === null, 'a machine accepts a connection once')
      this.#server = this.listener()?.accept(this) ?? null
      this.#send(this.#in, { kind: this.#server === null ? 'refused' : 'accepted' })
    } else {
      const server = this.#server
      this.#server = null
      this.#out.close()
      server?.closed()
    }
  }

  #atDialler(segment: Segment): void {
    this.#hasArrived()
    if (this.#state === 'closed') return
    if ('content' in segment) take(this.end, segment.content)
    else if (segment.kind === 'accepted') this.#opened()
    else if (segment.kind === 'refused') this.#fail('ECONNREFUSED')
    else this.#fail(segment.kind === 'rst' ? 'ECONNRESET' : 'end')
  }

  #opened(): void {
    assert(this.#state === 'connecting', 'a connection between machines opens once')
    this.#state = 'open'
    this.#stopSynTimer()
    for (const content of this.#unsent.splice(0)) this.#send(this.#out, { content })
    this.end.opened(`${this.local.address}:${this.local.port}`)
  }

  #fail(why: Parameters<Dialler['closed']>[0]): void {
    if (this.#state === 'closed') return
    this.#shut()
    this.#in.close()
    this.#out.close()
    this.end.closed(why)
  }

  #shut(): void {
    this.#state = 'closed'
    this.#stopSynTimer()
  }

  #stopSynTimer(): void {
    if (this.#synTimer !== null) this.kernel.cancel(this.#synTimer)
    this.#synTimer = null
  }
}

function take(end: Pick<ServerEnd, 'received' | 'heard'>, content: Content): void {
  if (typeof content === 'string') end.received(content)
  else end.heard!(content)
}
