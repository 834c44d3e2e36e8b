import type { QueuedEvent } from '../kernel/event-queue.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { VirtualProcess } from '../runtime/process.ts'
import type { ClientSide, Listener, ServerEnd } from './client-side.ts'
import type { Direction } from './link.ts'
import { Pipe } from './pipe.ts'

/** The side that dialled, as it learns what becomes of the connection. */
export interface Dialler {
  opened(local: string): void
  received(bytes: string): void
  closed(why: 'end' | 'ECONNREFUSED' | 'ECONNRESET' | 'ETIMEDOUT'): void
}

type Segment = { readonly kind: 'syn' | 'accepted' | 'refused' | 'fin' | 'rst' } | { readonly bytes: string }

/** Linux: six SYN retries before connect() fails with ETIMEDOUT (tcp(7), tcp_syn_retries). */
const synTimeoutUs = 127_000_000

/**
 * A simulated TCP connection between two machines of a Redis deployment. The same flows as those of a process
 * (`Connection`), without a process whose turns and crashes are to be told apart: a machine lives or it does not.
 * Left out besides: ETIMEDOUT of an open connection (replicas and Sentinels give up long before, by timers of their
 * own), half-closed connections.
 */
export class MachineWire implements ClientSide {
  readonly process = null
  readonly hungUpUs = null
  #state: 'connecting' | 'open' | 'closed' = 'connecting'
  #server: ServerEnd | null = null
  readonly #out: Pipe<Segment, VirtualProcess>
  readonly #in: Pipe<Segment, VirtualProcess>
  /** Written before the connection opened. */
  #unsent: string[] = []
  #synTimer: QueuedEvent<VirtualProcess> | null = null

  constructor(
    private readonly kernel: Kernel<VirtualProcess>,
    there: Direction,
    back: Direction,
    readonly local: { readonly address: string; readonly port: number },
    private readonly listener: () => Listener | null,
    private readonly end: Dialler,
  ) {
    this.#out = new Pipe(kernel, there, (segment) => this.#atServer(segment))
    this.#in = new Pipe(kernel, back, (segment) => this.#atDialler(segment))
    this.#out.send({ kind: 'syn' })
    this.#synTimer = kernel.schedule(synTimeoutUs, null, () => this.#fail('ETIMEDOUT'))
  }

  // The side that dialled.

  write(bytes: string): void {
    if (this.#state === 'connecting') this.#unsent.push(bytes)
    else if (this.#state === 'open') this.#out.send({ bytes })
  }

  close(): void {
    if (this.#state === 'closed') return
    this.#shut()
    this.#in.close()
    this.#out.send({ kind: 'fin' })
  }

  // The side that accepted.

  reply(bytes: string): void {
    if (this.#server !== null) this.#in.send({ bytes })
  }

  serverClose(): void {
    if (this.#server === null) return
    this.#server = null
    this.#in.send({ kind: 'fin' })
  }

  /** The machine that accepted died; the other one learns of it when nothing is in the way. */
  break(): void {
    if (this.#server === null) return
    this.#server = null
    this.#in.send({ kind: 'rst' })
  }

  #atServer(segment: Segment): void {
    if ('bytes' in segment) {
      if (this.#server !== null) this.#server.received(segment.bytes)
      else this.#in.send({ kind: 'rst' })
    } else if (segment.kind === 'syn') {
      this.#server = this.listener()?.accept(this) ?? null
      this.#in.send({ kind: this.#server === null ? 'refused' : 'accepted' })
    } else {
      const server = this.#server
      this.#server = null
      this.#out.close()
      server?.closed()
    }
  }

  #atDialler(segment: Segment): void {
    if (this.#state === 'closed') return
    if ('bytes' in segment) this.end.received(segment.bytes)
    else if (segment.kind === 'accepted') this.#opened()
    else if (segment.kind === 'refused') this.#fail('ECONNREFUSED')
    else this.#fail(segment.kind === 'rst' ? 'ECONNRESET' : 'end')
  }

  #opened(): void {
    this.#state = 'open'
    this.#stopSynTimer()
    for (const bytes of this.#unsent.splice(0)) this.#out.send({ bytes })
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
