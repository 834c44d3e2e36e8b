import { ErrorReply, type Reply } from '../lua/reply.ts'
import { Blocking, Encoded, NoReply } from './command.ts'
import { dispatch } from './dispatch.ts'
import { encodeReply } from './resp/encode.ts'
import { ProtocolError, RequestParser } from './resp/request-parser.ts'
import type { RedisServer } from './server.ts'
import { Session } from './session.ts'

/** The other end of a connection, as whoever owns the network gives it. */
export interface Peer {
  /** Bytes of replies as a latin1 string, in order. */
  write(bytes: string): void
  /** The server hangs up. */
  close(): void
  /** `host:port`, as CLIENT LIST prints it. */
  readonly address?: string | undefined
  /** A blocked command was answered: `step` works again. Without it the connection steps by itself. */
  unblocked?(): void
}

/** One client's connection: bytes in, commands one by one when `step` says so, bytes out. */
export class RedisConnection {
  readonly session: Session
  private readonly parser: RequestParser
  private queue: (string[] | ProtocolError)[] = []
  private head = 0
  private closed = false
  private blocked: { readonly args: readonly string[]; readonly cancel: () => void } | null = null

  constructor(
    readonly server: RedisServer,
    readonly id: number,
    private readonly peer: Peer,
  ) {
    this.parser = new RequestParser(() => server.config.protoMaxBulkLen)
    this.session = new Session(server, id, peer.address ?? '127.0.0.1:0', server.readClock())
  }

  /** Commands that were parsed and not executed (a protocol error at the end counts as one). */
  get pending(): number {
    return this.queue.length - this.head
  }

  get isClosed(): boolean {
    return this.closed
  }

  /** A command waits for its time-out or an event; nothing behind it runs. */
  get isBlocked(): boolean {
    return this.blocked !== null
  }

  feed(bytes: string): void {
    if (this.closed) return
    this.parser.feed(bytes)
    for (;;) {
      // While commands wait that could be the AUTH, a restricted client is given the benefit of the doubt.
      this.parser.restricted = !this.session.authenticated && this.pending === 0
      const command = this.parser.next()
      if (command === null) return
      this.queue.push(command)
      if (command instanceof ProtocolError) return
    }
  }

  /** Executes the next command; false when there is none, or the connection is blocked or closed. */
  step(): boolean {
    if (this.closed || this.blocked !== null || this.head === this.queue.length) return false
    const command = this.queue[this.head++]!
    if (this.head === this.queue.length) {
      this.queue = []
      this.head = 0
    }
    if (command instanceof ProtocolError) this.breakOff(command)
    else this.run(command)
    return true
  }

  /** feed, then step until nothing is left to do. */
  receive(bytes: string): void {
    this.feed(bytes)
    while (this.step());
  }

  /** The peer went away, or the server hangs up on it: nothing is executed or written any more. */
  close(): void {
    if (this.closed) return
    this.closed = true
    this.blocked?.cancel()
    this.blocked = null
    this.queue = []
    this.head = 0
    this.session.discard()
    this.server.connections.delete(this.id)
  }

  /** The server ends the connection (QUIT, CLIENT KILL, a protocol error). */
  hangUp(): void {
    if (this.closed) return
    this.close()
    this.peer.close()
  }

  private run(args: string[]): void {
    const { environment } = this.server
    const verdict = environment.beforeCommand?.(this.id, args) ?? 'run'
    if (verdict === 'drop') return
    if (verdict !== 'run') return this.answer(args, verdict)
    if (isHttp(args[0]!)) return this.hangUp()
    const answer = dispatch(this.session, args)
    this.server.commandsExecuted++
    if (answer instanceof Blocking) return this.block(args, answer)
    if (answer instanceof Encoded) this.answer(args, answer.reply, answer.bytes)
    else if (!(answer instanceof NoReply)) this.answer(args, answer)
    else if (this.session.replies === 'skip-next') this.session.replies = 'skip'
    if (this.session.closeAfterReply) this.hangUp()
  }

  private answer(args: readonly string[], reply: Reply, bytes?: string): void {
    this.server.environment.executed?.(this.id, args, reply)
    if (this.closed) return
    const { session } = this
    if (session.replies === 'on') this.peer.write(bytes ?? encodeReply(reply, session.resp))
    else if (session.replies === 'skip') session.replies = 'on'
  }

  private block(args: readonly string[], blocking: Blocking): void {
    const resolve = (reply: Reply) => {
      if (this.blocked === null) return
      this.blocked.cancel()
      this.blocked = null
      this.answer(args, reply)
      if (this.peer.unblocked !== undefined) this.peer.unblocked()
      else while (this.step());
    }
    const cancel =
      blocking.timeoutMs === 0
        ? () => {}
        : this.server.environment.schedule(blocking.timeoutMs * 1000, () => resolve(blocking.onTimeout()))
    this.blocked = { args, cancel }
    blocking.onBlocked?.(resolve)
  }

  private breakOff(error: ProtocolError): void {
    this.peer.write(encodeReply(new ErrorReply(`ERR Protocol error: ${error.message}`), this.session.resp))
    this.hangUp()
  }
}

/** A browser was made to send a request here; Redis hangs up at once. */
function isHttp(word: string): boolean {
  return (word.length === 5 && /^host:$/i.test(word)) || (word.length === 4 && /^post$/i.test(word))
}
