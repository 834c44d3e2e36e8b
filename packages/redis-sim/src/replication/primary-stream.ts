import { dispatch } from '../dispatch.ts'
import { ErrorReply } from '../resp/reply.ts'
import { RequestParser } from '../resp/request-parser.ts'
import type { RedisServer } from '../server.ts'
import { Session } from '../session.ts'

/** Where a replica stands in the history of its primary. */
export interface Position {
  /** Names the history. */
  readonly id: string
  /** How much of it was applied, in bytes. */
  readonly offset: number
  /** The database that the stream had selected there; -1 where none was. */
  readonly database: number
}

/**
 * What a primary sends once its data set is there: commands, obeyed one by one and passed on as
 * they came.
 */
export class PrimaryStream {
  /** Applied, and with what has come beyond that. A transaction is applied as a whole. */
  offset: number
  readOffset: number
  private readonly session: Session
  private readonly parser: RequestParser
  /** What came and was not applied. */
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
    // Its keys are not expired before the primary says so.
    const { expiry } = state
    state.expiry = 'ignore'
    const answer = dispatch(this.session, words)
    if (state.expiry === 'ignore') state.expiry = expiry
    if (answer instanceof ErrorReply) server.environment.unsupported(`a primary's ${words[0]} that fails here`)
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
