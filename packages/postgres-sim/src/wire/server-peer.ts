import type { Outcome, Session, Startup } from '../index.ts'
import type { FrontendMessage } from './frontend.ts'

/** One execution of a statement, independent of the protocol messages that requested it. */
export interface Step {
  readonly text: string
  readonly parameters: readonly (string | null)[]
}

/**
 * Observes the requests and responses of one session in order, so that they can be sent to another
 * server.
 */
export interface SessionListener {
  began(session: Session, startup: Startup): void
  request(message: FrontendMessage): void
  /** Messages in bytes. */
  response(bytes: string): void
  /** The last request was not executed because its connection was lost. */
  lost(): void
  /** The waiting statement has ended: null, or its error code. */
  woke(code: string | null): void
  /** The session is about to end. */
  ends(): void
  /** All immediate effects of a message or of a disconnect are complete. */
  settled(): void
}

/** The server functions that the protocol of a connection needs. */
export interface ServerPeer {
  readonly listener?: SessionListener | null
  /** @throws SqlError if no session can be created */
  connect(startup: Startup): Session
  /** CancelRequest. Ignored if the session has ended or the key is wrong. */
  cancel(processId: number, secretKey: number): void
  /** Called before a statement is executed. Returns false if the connection was lost. */
  executes(step: Step): boolean
  /** The effect of the statement is final, as far as its transaction is. */
  executed(step: Step, outcome: Outcome): void
  /** `answered`: the executions whose answers are in these bytes. */
  send(bytes: string, answered: readonly Step[]): void
  /** The session is about to end and to release what it holds. */
  letsGo?(): void
  /** The server closes the connection cleanly. */
  close(): void
  /** Runs `work` for this connection in a separate turn of the server. */
  later(work: () => void): void
  /** Reports SQL that PostgreSQL may accept and this server does not. */
  unsupported(what: string): void
}
