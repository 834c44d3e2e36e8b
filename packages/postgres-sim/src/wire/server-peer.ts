import type { Outcome, Session, Startup } from '../index.ts'
import type { FrontendMessage } from './frontend.ts'

/** One execution of a statement: what a client asked for, whichever messages it took. */
export interface Step {
  readonly text: string
  readonly parameters: readonly (string | null)[]
}

/**
 * Hears requests and responses of one connection's session, in order: for those who send another
 * server the same.
 */
export interface SessionListener {
  began(session: Session, startup: Startup): void
  request(message: FrontendMessage): void
  /** Messages, as bytes. */
  response(bytes: string): void
  /** The last request was not executed: its connection is gone. */
  lost(): void
  /** The statement that waited has come to its end: null, or the code of its error. */
  woke(code: string | null): void
  /** The session is about to end. */
  ends(): void
  /** All that a message, or an end, brought about at once has happened. */
  settled(): void
}

/** What one connection's protocol asks of the server that it is served by. */
export interface ServerPeer {
  readonly listener?: SessionListener | null
  /** @throws SqlError where there is no session to be had */
  connect(startup: Startup): Session
  /** CancelRequest: of a session that is gone, or with a wrong key, nothing happens. */
  cancel(processId: number, secretKey: number): void
  /** A statement is about to be executed. False: it is not to be, for its connection is gone. */
  executes(step: Step): boolean
  /** What it did stands, as far as its transaction does. */
  executed(step: Step, outcome: Outcome): void
  /** `answered`: the executions whose answers are among these bytes. */
  send(bytes: string, answered: readonly Step[]): void
  /** The session is about to end, and to let go what it holds. */
  letsGo?(): void
  /** The server closes the connection in order. */
  close(): void
  /** Goes on with this connection in a turn of the server's own. */
  later(work: () => void): void
  /** What PostgreSQL would take and this one does not, by name. */
  unsupported(what: string): void
}
