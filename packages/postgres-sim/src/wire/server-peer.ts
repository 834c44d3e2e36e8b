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
  /** `bytes` contains one or more messages. */
  response(bytes: string): void
  /** Called when the last request was not executed because its connection was lost. */
  lost(): void
  /**
   * Called when a statement that waited has ended. `code` is its error code; null if it succeeded.
   */
  woke(code: string | null): void
  /** Called when the session is about to end. */
  ends(): void
  /** Called when all immediate effects of a message or of a disconnect are complete. */
  settled(): void
}

/** The functions of the server that a connection uses. */
export interface ServerPeer {
  readonly listener?: SessionListener | null
  /** @throws SqlError if no session can be created */
  connect(startup: Startup): Session
  /** Handles a CancelRequest, which is ignored if the session has ended or the key is wrong. */
  cancel(processId: number, secretKey: number): void
  /** Called before a statement is executed. Returns false if the connection was lost. */
  executes(step: Step): boolean
  /**
   * Called when the result of the statement is final, except that its transaction block may still
   * be rolled back.
   */
  executed(step: Step, outcome: Outcome): void
  /**
   * Sends bytes to the client. `answered` lists the executions whose answers are in these bytes.
   */
  send(bytes: string, answered: readonly Step[]): void
  /** Called when the session is about to end and to release its locks and its transaction. */
  letsGo?(): void
  /** Closes the connection cleanly. */
  close(): void
  /** Runs `work` for this connection in a separate turn of the server. */
  later(work: () => void): void
  /** Reports SQL that PostgreSQL may accept and this server does not accept. */
  unsupported(what: string): void
}
