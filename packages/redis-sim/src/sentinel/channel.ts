import { encodeCommand } from '../resp/encode-command.ts'
import type { PushReply, Reply } from '../resp/reply.ts'
import type { ReplyMessage, Wire, Wires } from '../wires.ts'
import type { Address } from './address.ts'
import { ReplyParser } from './reply-parser.ts'

/** The owner of a channel. All calls are made within a turn of the Sentinel. */
export interface ChannelOwner {
  /** Runs one turn. Commands sent within the turn are flushed together at its end. */
  turn(work: () => void): void
  /** Called when the channel has unsent data to flush. */
  wrote(channel: Channel): void
}

/**
 * A connection opened by a Sentinel. Commands may be sent before the connection is established.
 * Replies are matched in order; data without an awaited reply is a push message.
 */
export class Channel {
  private readonly wire: Wire
  private readonly parser = new ReplyParser()
  private awaited: ((reply: Reply) => void)[] = []
  private unsent: string[][] = []
  private closed = false
  /** The last hello that was sent on this channel and answered. */
  lastHello = ''
  /** The local address of the connection; null until the connection is established. */
  localHost: string | null = null

  constructor(
    wires: Wires,
    { host, port }: Address,
    private readonly owner: ChannelOwner,
    private readonly lost: () => void,
    private readonly pushed: (reply: Reply) => void,
    /**
     * Handles a repeated push message immediately, outside of a turn; returns false if its content
     * is new.
     */
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
   * Sends a command at the end of the turn. `answered` is not called if the connection closes
   * before the reply.
   */
  send(words: readonly (string | number)[], answered: (reply: Reply) => void): void {
    this.awaited.push(answered)
    this.write(words)
  }

  /**
   * Sends a heartbeat and returns its immediate reply; undefined if the heartbeat must use the
   * network (`Wires`).
   */
  beat(words: readonly string[]): Reply | undefined {
    if (this.closed || this.awaited.length > 0 || this.unsent.length > 0) return undefined
    const far = this.wire.far?.() ?? null
    return far !== null && 'beat' in far ? far.beat(words) : undefined
  }

  /** Subscribes to a channel. All replies count as push messages, including the first. */
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

  /**
   * Called when the other side closed the connection, or when the connection was not established.
   */
  private end(): void {
    if (this.closed) return
    this.closed = true
    this.owner.turn(this.lost)
  }
}
