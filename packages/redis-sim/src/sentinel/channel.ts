import { encodeCommand } from '../resp/encode-command.ts'
import type { PushReply, Reply } from '../resp/reply.ts'
import type { ReplyMessage, Wire, Wires } from '../wires.ts'
import type { Address } from './address.ts'
import { ReplyParser } from './reply-parser.ts'

/** The holder of a channel. Every call comes in a turn of the Sentinel. */
export interface ChannelOwner {
  /** Runs one turn: what was sent within it leaves together, when it ends. */
  turn(work: () => void): void
  /** Something waits to be flushed. */
  wrote(channel: Channel): void
}

/**
 * One connection that a Sentinel dialled. Commands may be sent before it opened; replies are
 * matched in order, and what comes while none is awaited was pushed to a subscriber.
 */
export class Channel {
  private readonly wire: Wire
  private readonly parser = new ReplyParser()
  private awaited: ((reply: Reply) => void)[] = []
  private unsent: string[][] = []
  private closed = false
  /** The hello that was sent on it last, and answered. */
  lastHello = ''
  /** Its own address on it, once it is open. */
  localHost: string | null = null

  constructor(
    wires: Wires,
    { host, port }: Address,
    private readonly owner: ChannelOwner,
    private readonly lost: () => void,
    private readonly pushed: (reply: Reply) => void,
    /** Takes what was pushed before on the spot, outside of a turn; false where it is news. */
    repeated: (reply: PushReply) => boolean = () => false,
  ) {
    this.wire = wires.dial(host, port, {
      opened: (local) => {
        this.localHost = local.slice(0, local.lastIndexOf(':'))
      },
      received: (bytes) => this.received(bytes),
      heard: (reported) => this.heard((reported as ReplyMessage).reply),
      repeated: (reply) => !this.closed && repeated(reply as PushReply),
      closed: () => this.end(),
    })
  }

  /**
   * Sent at the end of the turn. `answered` is never called for a connection that closed before.
   */
  send(words: readonly (string | number)[], answered: (reply: Reply) => void): void {
    this.awaited.push(answered)
    this.write(words)
  }

  /**
   * A heartbeat that is answered on the spot; undefined where it has to go over the network
   * (`Wires`).
   */
  beat(words: readonly string[]): Reply | undefined {
    if (this.closed || this.awaited.length > 0 || this.unsent.length > 0) return undefined
    const far = this.wire.far?.() ?? null
    return far !== null && 'beat' in far ? far.beat(words) : undefined
  }

  /** Its replies are pushed, the first one too. */
  subscribe(channel: string): void {
    this.write(['SUBSCRIBE', channel])
  }

  flush(): void {
    const commands = this.unsent
    this.unsent = []
    if (this.closed) return
    if (this.wire.send !== undefined) this.wire.send({ commands })
    else this.wire.write(commands.map(encodeCommand).join(''))
  }

  close(): void {
    if (this.closed) return
    this.closed = true
    this.wire.close()
  }

  private write(words: readonly (string | number)[]): void {
    if (this.unsent.length === 0) this.owner.wrote(this)
    this.unsent.push(words.map(String))
  }

  private received(bytes: string): void {
    if (this.closed) return
    this.owner.turn(() => {
      this.parser.feed(bytes)
      while (!this.closed) {
        const reply = this.parser.next()
        if (reply === undefined) return
        this.take(reply)
      }
    })
  }

  private heard(reply: Reply): void {
    if (!this.closed) this.owner.turn(() => this.take(reply))
  }

  private take(reply: Reply): void {
    const answered = this.awaited.shift()
    if (answered === undefined) this.pushed(reply)
    else answered(reply)
  }

  /** The other side ended it, or it never opened. */
  private end(): void {
    if (this.closed) return
    this.closed = true
    this.owner.turn(this.lost)
  }
}
