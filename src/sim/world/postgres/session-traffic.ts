import type { Startup } from 'postgres-sim'
import type { FrontendMessage } from 'postgres-sim/wire'

/** One message of a client, executed or lost. */
export interface SessionRequest {
  readonly kind: 'request'
  readonly session: number
  /** The server's own clock, in microseconds since the Unix epoch. */
  readonly atUs: number
  readonly message: FrontendMessage
  /** True if the connection ended before the message was executed. */
  lost: boolean
}

/**
 * Requests and responses of the sessions of the PostgreSQL server in a run, in the order in which
 * the server handled them: enough to send the same requests to another server. Sessions are
 * numbered in the order in which they begin. Whether a response arrived is not recorded, because
 * the server does not depend on it.
 */
export type SessionEvent =
  /** Statements that the harness executed before any session began. */
  | { readonly kind: 'prepared'; readonly sql: string }
  /** A type was created: the number that the server gave it, and its name. */
  | { readonly kind: 'type'; readonly oid: number; readonly name: string }
  | { readonly kind: 'began'; readonly session: number; readonly processId: number; readonly startup: Startup }
  | SessionRequest
  /** Messages, as bytes. */
  | { readonly kind: 'response'; readonly session: number; readonly bytes: string }
  /** A waiting session executes again. */
  | { readonly kind: 'goes-on'; readonly session: number }
  /** The statement of a waiting session is over: null, or the code of its error. */
  | { readonly kind: 'woke'; readonly session: number; readonly code: string | null }
  /**
   * The session ends. The sessions that waited for it continue at that time, by the server's clock.
   */
  | { readonly kind: 'ends'; readonly session: number; readonly atUs: number }
  /**
   * All immediate consequences of the last request, or of an end, have happened. `waiting`: which
   * session waits for which.
   */
  | { readonly kind: 'settled'; readonly waiting: ReadonlyMap<number, readonly number[]> }
  /**
   * A change of the server that no client requested. The rest of the run cannot be reproduced on
   * another server.
   */
  | { readonly kind: 'fault'; readonly what: string }
