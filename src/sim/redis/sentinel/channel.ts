import type { PushReply, Reply } from '../../lua/reply.ts'
import type { Wire, Wires } from '../wires.ts'
import type { Address } from './address.ts'
import { ReplyParser } from './reply-parser.ts'

/** Who holds a channel. All of it is told in a turn of the Sentinel's. */
export interface ChannelOwner {
  /** Runs one turn: what was sent within it leaves together, when it ends. */
  turn(work: () => void): void
  /** Something waits to be flushed. */
  wrote(channel: Channel): void
}

/**
 * One connection that a Sentinel dialled. Commands may be sent before it opened; replies are matched in order, and
 * what comes while none is awaited was pushed to a subscriber.
 */
export class Channel {
  private readonly wire: Wire
  private readonly parser = new ReplyParser()
  private awaited: ((reply: Reply) => void)[] = []
  private unsent = ''
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
      repeated: (reply) => !this.closed && repeated(reply as PushReply),
      closed: () => this.end(),
    })
  }

  /** Sent at the end of the turn. `answered` is never called for a connection that closed before. */
  send(words: readonly (string | number)[], answered: (reply: Reply) => void): void {
    this.awaited.push(answered)
    this.write(words)
  }

  /** A heartbeat that is answered on the spot; undefined where it has to go over the network (`Wires`). */
  beat(words: readonly string[]): Reply | undefined {
    if (this.closed || this.awaited.length > 0 || this.unsent !== '') return undefined
    const far = this.wire.far?.() ?? null
    return far !== null && 'beat' in far ? far.beat(words) : undefined
  }

  /** Its replies are pushed, the first one too. */
  subscribe(channel: string): void {
    this.write(['SUBSCRIBE', channel])
  }

  flush(): void {
    const bytes = this.unsent
    this.unsent = ''
    if (!this.closed) this.wire.write(bytes)
  }

  close(): void {
    if (this.closed) return
    this.closed = true
    this.wire.close()
  }

  private write(words: readonly (string | number)[]): void {
    if (this.unsent === '') this.owner.wrote(this)
    let bytes = `*${words.length}\r\n`
    for (const word of words) {
      const text = String(word)
      bytes += `$${text.length}\r\n${text}\r\n`
    }
    this.unsent += bytes
  }

  private received(bytes: string): void {
    if (this.closed) return
    this.owner.turn(() => {
      this.parser.feed(bytes)
      while (!this.closed) {
        const reply = this.parser.next()
        if (reply === undefined) return
        const answered = this.awaited.shift()
        if (answered === undefined) this.pushed(reply)
        else answered(reply)
      }
    })
  }

  /** The other side ended it, or it never opened. */
  private end(): void {
    if (this.closed) return
    this.closed = true
    this.owner.turn(this.lost)
  }
}
