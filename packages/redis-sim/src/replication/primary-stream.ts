import { dispatch } from '../dispatch.ts'
import { ErrorReply } from '../resp/reply.ts'
import { RequestParser } from '../resp/request-parser.ts'
import type { RedisServer } from '../server.ts'
import { Session } from '../session.ts'

/** A replica's position in the history of its primary. */
export interface Position {
  /** Identifies the history. */
  readonly id: string
  /** Number of applied bytes. */
  readonly offset: number
  /** The database selected in the stream at this point; -1 for none. */
  readonly database: number
}

/**
 * The commands that a primary sends after the data set. The replica executes them one by one and
 * passes their bytes on to its own replicas.
 */
export class PrimaryStream {
  /**
   * Number of applied bytes, and of received bytes, in the history. A transaction is applied as a
   * whole.
   */
  offset: number
  readOffset: number
  private readonly session: Session
  private readonly parser: RequestParser
  /** Received bytes that were not applied. */
  private unapplied = ''

  constructor(
    private readonly server: RedisServer,
    public id: string,
    position: Position,
  ) {
    this.offset = position.offset
    this.readOffset = position.offset
    this.parser = new RequestParser(() => server.config.protoMaxBulkLen)
    this.session = new Session(server, 0, 'primary', server.readClock())
    this.session.obeyed = true
    this.session.authenticated = true
    if (position.database !== -1) this.session.database = server.keyspace.select(position.database)!
  }

  get position(): Position {
    return { id: this.id, offset: this.offset, database: this.session.database.index }
  }

  receive(bytes: string): void {
    this.readOffset += bytes.length
    this.unapplied += bytes
    this.parser.feed(bytes)
    for (;;) {
      const command = this.parser.next()
      if (!Array.isArray(command)) return
      this.obey(command)
      if (this.session.queue === null) this.passOn(this.unapplied.length - this.parser.unparsedBytes)
    }
  }

  private obey(words: readonly string[]): void {
    const { server } = this
    const { state } = server.keyspace
    // Commands of the primary see expired keys until the primary deletes them.
    const { expiry } = state
    state.expiry = 'ignore'
    const answer = dispatch(this.session, words)
    if (state.expiry === 'ignore') state.expiry = expiry
    if (answer instanceof ErrorReply)
      server.environment.unsupported(`a ${words[0]} of the primary that fails on its replica`)
    server.commandsExecuted++
    server.serveBlocked()
    server.stepUnblocked()
  }

  private passOn(length: number): void {
    this.offset += length
    this.server.replication.append(this.unapplied.slice(0, length))
    this.server.environment.replicated?.(false)
    this.unapplied = this.unapplied.slice(length)
  }
}
