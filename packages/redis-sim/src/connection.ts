import assert from 'node:assert/strict'
import { Blocking, Encoded, NoReply, Postponed, Several } from './command.ts'
import { dispatch, executed, refuse } from './dispatch.ts'
import { InfoReply } from './info-reply.ts'
import type { KeysAwaited, Waiter } from './keyspace/waiters.ts'
import { noteServed } from './replication/effects/effects.ts'
import { encodeReply } from './resp/encode.ts'
import { toResp2 } from './resp/plain.ts'
import { ErrorReply, PushReply, type Reply } from './resp/reply.ts'
import { ProtocolError, RequestParser } from './resp/request-parser.ts'
import type { RedisServer } from './server.ts'
import { type Outlet, Session } from './session.ts'

/** The command for which a connection is blocked. */
interface Blocked extends Waiter {
  readonly args: readonly string[]
  readonly timeoutMs: number
  readonly onTimeout: () => Reply
  /** Ends the wait without answering. */
  release(): void
}

const unblockedByClient = new ErrorReply('UNBLOCKED client unblocked via CLIENT UNBLOCK')

/** The client's end of a connection, implemented by the owner of the network. */
export interface Peer {
  /** Sends reply bytes as a latin1 string, in order. */
  write(bytes: string): void
  /**
   * Sends bytes that do not answer a command of this connection, such as a published message.
   * Without this function, `write` is used.
   */
  announce?(bytes: string): void
  /** Called when the server closed the connection. */
  close(): void
  /** Delivers an unencoded reply to a simulated machine that sends unencoded commands. */
  report?(reply: Reply): void
  /** See `WireEnd.repeated`. */
  repeat?(reply: PushReply): boolean
  /** `host:port`, as in CLIENT LIST. */
  readonly address?: string | undefined
  /**
   * Called when a blocked command was answered, so `step` works again. Without this function, the
   * connection steps by itself.
   */
  unblocked?(): void
}

/** One client connection: bytes in, one command for each `step`, bytes out. */
export class RedisConnection implements Outlet {
  readonly session: Session
  private readonly parser: RequestParser
  private queue: (string[] | ProtocolError)[] = []
  private head = 0
  private closed = false
  private blocked: Blocked | null = null
  private postponed = false
  /** True if the client sends unencoded commands and receives unencoded replies. */
  private reports = false

  constructor(
    readonly server: RedisServer,
    readonly id: number,
    private readonly peer: Peer,
  ) {
    this.parser = new RequestParser(() => server.config.protoMaxBulkLen)
    this.session = new Session(server, id, peer.address ?? '127.0.0.1:0', server.readClock(), this)
  }

  push(reply: Reply): void {
    if (this.closed || this.isRepeated(reply)) return
    if (this.reports) this.peer.report!(toResp2(reply))
    else this.announce(encodeReply(reply, this.session.resp))
  }

  private isRepeated(reply: Reply): boolean {
    return reply instanceof PushReply && this.peer.repeat?.(reply) === true
  }

  private reply(reply: Reply, bytes?: string): void {
    assert(!this.closed, 'nothing is answered on a connection that is closed')
    if (this.reports) this.peer.report!(forMachine(reply))
    else this.peer.write(bytes ?? encodeReply(reply, this.session.resp))
  }

  write(bytes: string): void {
    if (!this.closed) this.announce(bytes)
  }

  private announce(bytes: string): void {
    if (this.peer.announce === undefined) this.peer.write(bytes)
    else this.peer.announce(bytes)
  }

  /**
   * Number of parsed commands that were not executed yet. A protocol error at the end counts as
   * one.
   */
  get pending(): number {
    return this.queue.length - this.head
  }

  /** The next command; null if none was received. */
  get next(): readonly string[] | null {
    const command = this.queue[this.head]
    return command === undefined || command instanceof ProtocolError ? null : command
  }

  /** Number of bytes that do not form a complete command yet. */
  get unparsedBytes(): number {
    return this.parser.unparsedBytes
  }

  get isClosed(): boolean {
    return this.closed
  }

  /**
   * True if a command waits for its timeout, an event or the end of a pause. Later commands of the
   * connection wait for that command.
   */
  get isBlocked(): boolean {
    return this.blocked !== null || this.postponed
  }

  /** The blocked command with its timeout (0: none); null if no command is blocked. */
  get waitsWith(): { readonly args: readonly string[]; readonly timeoutMs: number } | null {
    return this.blocked
  }

  feed(bytes: string): void {
    if (this.closed) return
    assert(!beyondBytes.test(bytes), 'a client sends bytes')
    this.parser.feed(bytes)
    for (;;) {
      // A queued command may be AUTH, so the limits for unauthenticated clients do not apply while
      // commands are queued.
      const { session, server } = this
      this.parser.restricted = !session.authenticated && server.acl.asksForPassword && this.pending === 0
      const command = this.parser.next()
      if (command === null) return
      this.queue.push(command)
      if (command instanceof ProtocolError) return
    }
  }

  /** Alternative to `feed`: receives unencoded commands of another simulated machine. */
  take(commands: readonly (readonly string[])[]): void {
    if (this.closed) return
    this.reports = true
    for (const command of commands) this.queue.push([...command])
  }

  /** Executes the next command; false if none waits, or the connection is blocked or closed. */
  step(): boolean {
    if (this.closed || this.isBlocked || this.head === this.queue.length) return false
    const command = this.queue[this.head++]!
    if (this.head === this.queue.length) {
      this.queue = []
      this.head = 0
    }
    if (command instanceof ProtocolError) this.breakOff(command)
    else this.run(command)
    return true
  }

  /**
   * Executes another machine's heartbeat immediately and returns the unencoded reply. Returns
   * undefined if the server is degraded, loading or paused, or if this client has earlier commands
   * pending.
   */
  beat(args: readonly string[]): Reply | undefined {
    const { server } = this
    if (this.closed || this.isBlocked || this.pending > 0 || this.unparsedBytes > 0) return undefined
    if (server.degraded.any || server.isLoading || server.pause.isOn) return undefined
    const answer = dispatch(this.session, args)
    assert(!(answer instanceof Blocking || answer instanceof Postponed), 'a heartbeat waits for nothing')
    server.commandsExecuted++
    if (answer instanceof ErrorReply) server.errorCounts.add(answer)
    return answer as Reply
  }

  /** Feeds bytes, then executes all complete commands, until a command blocks. */
  receive(bytes: string): void {
    this.feed(bytes)
    while (this.step());
    this.server.stepUnblocked()
  }

  /**
   * CLIENT UNBLOCK: ends the wait with the reply of a timeout or with an error. False if the client
   * is not blocked.
   */
  unblock(how: 'timeout' | 'error'): boolean {
    if (this.blocked === null) return false
    this.blocked.resolve(how === 'timeout' ? this.blocked.onTimeout() : unblockedByClient)
    return true
  }

  /**
   * If a command of the connection is blocked, answers it with this error and closes the
   * connection.
   */
  endWaiting(error: ErrorReply): void {
    if (this.blocked === null) return
    this.session.closeAfterReply = true
    this.blocked.resolve(error)
    this.hangUp()
  }

  private postpone(args: string[]): void {
    assert(!this.postponed, 'a connection waits for the end of a pause with one command')
    this.queue.splice(this.head, 0, args)
    this.postponed = true
    this.server.pause.add(this)
  }

  /** Called at the end of a pause: executes the command that was postponed. */
  resume(): void {
    if (this.closed) return
    assert(this.postponed, 'only a postponed command goes on after a pause')
    this.postponed = false
    if (this.peer.unblocked !== undefined) this.peer.unblocked()
    else this.server.unblocked(this)
  }

  /**
   * The client disconnected, or the server closes the connection: nothing is executed or written
   * after this.
   */
  close(): void {
    if (this.closed) return
    this.closed = true
    this.blocked?.release()
    this.blocked = null
    this.queue = []
    this.head = 0
    this.session.discard()
    if (this.session.replica !== null) this.server.replication.replicas.detach(this.session.replica)
    this.server.subscriptions.leaveAll(this.session)
    this.session.stopListening()
    assert(this.server.connections.has(this.id), 'a connection that closes is one of its server')
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
    if (verdict !== 'run') return this.answer(args, refuse(this.session, args, verdict))
    if (isHttp(args[0]!)) return this.hangUp()
    const answer = dispatch(this.session, args)
    if (answer instanceof Postponed) return this.postpone(args)
    this.server.commandsExecuted++
    if (answer instanceof Blocking) {
      if (this.server.tracking.used) this.server.tracking.answered(this.session)
      return this.block(args, answer)
    }
    if (answer instanceof Encoded) this.answer(args, answer.reply, answer.bytes)
    else if (answer instanceof Several) this.answerAll(args, answer.replies)
    else if (!(answer instanceof NoReply)) this.answer(args, answer)
    else if (this.session.replies === 'skip-next') this.session.replies = 'skip'
    if (this.session.closeAfterReply) this.hangUp()
    const { tracking } = this.server
    if (tracking.used) tracking.answered(this.session)
    if (this.server.keyspace.state.ready.length !== 0) this.server.serveBlocked()
    if (tracking.used && this.pending === 0) tracking.broadcast()
  }

  private answer(args: readonly string[], reply: Reply, bytes?: string): void {
    if (typeof reply === 'object') this.server.errorCounts.add(reply)
    this.server.environment.executed?.(this.id, args, reply)
    if (this.closed) return
    const { session } = this
    if (session.replies === 'on') this.reply(reply, bytes)
    else if (session.replies === 'skip') session.replies = 'on'
  }

  /**
   * Replies of SUBSCRIBE and similar are push messages: they are sent even if replies are turned
   * off.
   */
  private answerAll(args: readonly string[], replies: readonly Reply[]): void {
    this.server.environment.executed?.(this.id, args, replies[0]!)
    const [first, ...others] = replies
    if (!this.closed && !this.isRepeated(first!)) this.reply(first!)
    for (const reply of others) this.push(reply)
  }

  private block(args: readonly string[], { timeoutMs, onTimeout, keys, begin }: Blocking): void {
    const { server } = this
    assert(this.blocked === null, 'a connection is blocked by one command')
    const waiter: Blocked = {
      args,
      timeoutMs,
      awaited: this.reported(args, keys ?? { database: this.session.database, keys: [], serve: () => undefined }),
      onTimeout,
      resolve: (reply) => {
        assert(this.blocked === waiter, 'a command that waits is answered once')
        waiter.release()
        this.blocked = null
        executed(this.session, this.session.command!, args, reply)
        this.answer(args, reply)
        if (server.tracking.used) server.tracking.answered(this.session)
        if (this.peer.unblocked !== undefined) this.peer.unblocked()
        else server.unblocked(this)
      },
      release: () => {
        waiter.awaited.database.waiters.remove(waiter)
        end()
        cancel()
      },
    }
    const cancel =
      timeoutMs === 0
        ? () => {}
        : server.environment.schedule(timeoutMs * 1000, () => {
            server.readClock()
            waiter.resolve(onTimeout())
            server.stepUnblocked()
          })
    this.blocked = waiter
    const end = begin?.((reply) => waiter.resolve(reply)) ?? (() => {})
    waiter.awaited.database.waiters.add(waiter)
  }

  /**
   * Wraps `serve`, so that the command of a blocked client is propagated to replicas as a separate
   * command when the client is served.
   */
  private reported(args: readonly string[], awaited: KeysAwaited): KeysAwaited {
    const { server, session } = this
    const serve = (key: string): Reply | undefined => {
      const before = server.keyspace.state.changes
      if (server.tracking.used) server.tracking.begin(session, session.command!, args)
      const reply = awaited.serve(key)
      if (!server.propagation.active) return reply
      if (reply !== undefined && server.keyspace.state.changes !== before) noteServed(session, args, reply)
      server.propagation.flush()
      return reply
    }
    return { ...awaited, serve }
  }

  private breakOff(error: ProtocolError): void {
    this.peer.write(encodeReply(new ErrorReply(`ERR Protocol error: ${error.message}`), this.session.resp))
    this.hangUp()
  }
}

const beyondBytes = /[^\x00-\xff]/

/**
 * Detects an HTTP request, which a browser may have been tricked into sending (cross-protocol
 * attack). Redis closes such a connection immediately.
 */
function isHttp(word: string): boolean {
  return (word.length === 5 && /^host:$/i.test(word)) || (word.length === 4 && /^post$/i.test(word))
}

/** Converts a reply to RESP2, except INFO, which a Sentinel reads without formatting its text. */
function forMachine(reply: Reply): Reply {
  return reply instanceof InfoReply ? reply : toResp2(reply)
}
