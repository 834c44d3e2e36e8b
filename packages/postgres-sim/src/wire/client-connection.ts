import assert from 'node:assert/strict'
import { type Session, type SessionClient, SqlError, type SqlNotice } from '../index.ts'
import * as backend from './backend.ts'
import { Execution, type ExecutionOwner } from './execution.ts'
import { ExtendedQuery } from './extended-query.ts'
import { type FirstMessage, type FrontendMessage, FrontendReader } from './frontend.ts'
import { Output } from './output.ts'
import type { ServerPeer } from './server-peer.ts'
import { simpleQuery } from './simple-query.ts'

interface Begun {
  readonly session: Session
  readonly execution: Execution
  readonly extended: ExtendedQuery
}

type SessionMessage = Exclude<FrontendMessage, FirstMessage>

/**
 * One client connection with protocol 3.0, from its first byte to its last (PostgreSQL 15, chapter
 * 55.2). Authentication is `trust`: no password is requested. These features are not simulated and
 * are reported by name: TLS, GSSAPI encryption, COPY, function calls, replication and other
 * protocol versions.
 */
export class ClientConnection implements SessionClient, ExecutionOwner {
  readonly #reader = new FrontendReader()
  readonly #messages: FrontendMessage[] = []
  readonly #output: Output
  /** The session and its state; null before the session begins and after it has ended. */
  #begun: Begun | null = null
  #gone = false
  /** Number of Query and Sync messages that were taken and not yet answered with ReadyForQuery. */
  #awaited = 0
  #notifications = ''
  /** Settings that were reported to the client, and settings that may have changed since. */
  readonly #reported = new Map<string, string>()
  readonly #changed = new Map<string, string>()

  constructor(private readonly server: ServerPeer) {
    this.#output = new Output(server)
  }

  get processId(): number | null {
    return this.#begun?.session.processId ?? null
  }

  feed(bytes: string): void {
    if (this.#gone) return
    assert(!beyondBytes.test(bytes), 'a client sends bytes')
    this.#messages.push(...this.#reader.feed(bytes))
  }

  /**
   * Processes the next message. Returns false if no message waits, or if the previous message is
   * still being processed.
   */
  step(): boolean {
    if (this.#begun?.execution.busy === true || this.#messages.length === 0) return false
    assert(this.#begun === null || this.#awaited === 0, 'the server is ready before it takes the next message')
    const message = this.#messages.shift()!
    this.server.listener?.request(message)
    this.#take(message)
    this.#endIfIdle()
    this.server.listener?.settled()
    return true
  }

  /**
   * Called when the client has disconnected. Messages that it has sent are still processed up to
   * the next answer: the server notices the disconnect when it cannot send the answer.
   */
  closed(): void {
    this.#gone = true
    this.#endIfIdle()
  }

  #endIfIdle(): void {
    if (this.#gone && this.#messages.length === 0 && this.#begun?.execution.busy !== true) this.#end()
  }

  /** Called when the server process has crashed, together with its sessions. */
  died(): void {
    this.#gone = true
    this.#messages.length = 0
    this.#begun?.execution.end()
    this.#begun = null
  }

  cancel(secretKey: number): void {
    if (this.#begun?.session.secretKey === secretKey) this.#begun.session.cancel()
  }

  #end(): void {
    const session = this.#begun?.session
    this.died()
    if (session === undefined) return
    if (session.holds) this.server.letsGo?.()
    this.server.listener?.ends()
    session.end()
    this.server.listener?.settled()
  }

  /** Sends the buffered messages and closes the connection. */
  #close(): void {
    this.#output.send()
    this.#end()
    this.server.close()
  }

  #fatal(error: SqlError): void {
    this.#output.error(error.with({ severity: 'FATAL' }))
    this.#close()
  }

  #take(message: FrontendMessage): void {
    const begun = this.#begun
    if (begun !== null) return this.#inSession(message as SessionMessage, begun)
    switch (message.kind) {
      case 'ssl-request':
      case 'gssenc-request':
        return this.server.send('N', [])
      case 'cancel-request':
        this.server.cancel(message.processId, message.secretKey)
        return this.#close()
      case 'startup':
        return this.#start(message.parameters)
      case 'other-protocol':
        this.server.unsupported(`protocol ${message.major}.${message.minor} of PostgreSQL`)
        return this.#fatal(new SqlError('0A000', 'this version of the protocol is not simulated'))
      default:
        // PostgreSQL closes the connection without an error if the packet is not a startup packet.
        return this.#close()
    }
  }

  #start(given: Readonly<Record<string, string>>): void {
    const { user = '', database = user, ...parameters } = given
    const startup = { user, database, parameters }
    if ('replication' in parameters) this.server.unsupported('a replication connection to PostgreSQL')
    let session: Session
    try {
      session = this.server.connect(startup)
    } catch (error) {
      if (!(error instanceof SqlError)) throw error
      return this.#fatal(error)
    }
    const { server } = this
    const output = this.#output
    const execution = new Execution(server, session, output, this)
    const extended = new ExtendedQuery(session, execution, output, (what) => server.unsupported(what))
    assert(this.#begun === null, 'a connection has one session')
    this.#begun = { session, execution, extended }
    this.#awaited = 1
    session.client = this
    output.add(backend.authenticationOk)
    this.#report(session.reported())
    output.add(backend.backendKeyData(session.processId, session.secretKey))
    this.#ready()
    if (this.#begun !== null) server.listener?.began(session, startup)
  }

  // Events of the session:

  noticed(notice: SqlNotice): void {
    this.#output.add(backend.noticeResponse(notice))
  }

  settingChanged(name: string, value: string): void {
    this.#changed.set(name, value)
  }

  terminated(error: SqlError): void {
    this.#fatal(error)
  }

  /**
   * Notifications are sent between statements; if no statement is running, they are sent
   * immediately.
   */
  notified(channel: string, payload: string, processId: number): void {
    this.#notifications += backend.notificationResponse(processId, channel, payload)
    assert(this.#begun !== null, 'only a session that lasts is notified')
    const { execution } = this.#begun
    if (execution.busy || execution.inImplicit || !this.#output.isEmpty) return
    this.#sendNotifications()
    this.#send()
  }

  // Events of the execution:

  discarded(): void {
    this.#begun?.extended.dropStatements()
  }

  lost(): void {
    this.server.listener?.lost()
    this.#end()
  }

  /** Sends the settings that have changed. Called before ReadyForQuery. */
  #report(settings: Iterable<readonly [string, string]>): void {
    for (const [name, value] of [...settings].sort(byName)) {
      if (this.#reported.get(name) !== value) this.#output.add(backend.parameterStatus(name, value))
      this.#reported.set(name, value)
    }
    this.#changed.clear()
  }

  #sendNotifications(): void {
    if (this.#begun?.session.status !== 'I') return
    this.#output.add(this.#notifications)
    this.#notifications = ''
  }

  #send(): void {
    if (this.#gone) this.#end()
    else this.#output.send()
  }

  #ready(): void {
    if (this.#begun === null) return
    const { session, extended } = this.#begun
    assert(!this.#begun.execution.busy, 'the server is ready when nothing executes')
    assert(this.#awaited === 1, 'a query and a Sync have one ReadyForQuery each')
    this.#awaited = 0
    if (session.status === 'I') extended.dropPortals()
    this.#sendNotifications()
    if (this.#changed.size > 0) this.#report(this.#changed)
    this.#output.add(backend.readyForQuery(session.status))
    this.#send()
  }

  #inSession(message: SessionMessage, { session, execution, extended }: Begun): void {
    if (message.kind === 'terminate') return this.#close()
    if (message.kind === 'sync') {
      this.#awaited++
      return extended.sync(() => this.#ready())
    }
    if (extended.skips) return
    switch (message.kind) {
      case 'query':
        this.#awaited++
        extended.dropUnnamed()
        return simpleQuery(message.sql, session, execution, this.#output, () => this.#ready())
      case 'flush':
        return this.#send()
      case 'malformed':
        return extended.attempt(() => {
          throw new SqlError('08P01', message.why)
        })
      case 'other':
        return this.#other(message.type)
      default:
        return extended.take(message)
    }
  }

  #other(type: string): void {
    // Copy messages are ignored, because they belong to a COPY that has failed.
    if (/[dcf]/.test(type)) return
    if (type === 'F') this.server.unsupported('a function call of the protocol of PostgreSQL')
    this.#fatal(new SqlError('08P01', `invalid frontend message type ${type.charCodeAt(0)}`))
  }
}

const beyondBytes = /[^\x00-\xff]/

/** Compares settings by name without case: PostgreSQL reports settings in this order. */
function byName([one]: readonly [string, string], [other]: readonly [string, string]): number {
  return one.toLowerCase() < other.toLowerCase() ? -1 : 1
}
