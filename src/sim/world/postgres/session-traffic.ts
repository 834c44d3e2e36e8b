import type { Startup } from 'postgres-sim'
import type { FrontendMessage } from 'postgres-sim/wire'

/** What one message had executed, or did not. */
export interface SessionRequest {
  readonly kind: 'request'
  readonly session: number
  /** The server's own clock, in microseconds since the Unix epoch. */
  readonly atUs: number
  readonly message: FrontendMessage
  /** Its connection went before it was executed. */
  lost: boolean
}

/**
 * Requests and responses of the sessions of the PostgreSQL server in a run, in the order in which
 * the server came to them: enough to send another server the same. Sessions are numbered as they
 * begin. What a client was told is not in it: answers that never arrived make no difference to the
 * server.
 */
export type SessionEvent =
  /** What the harness had executed before any session began. */
  | { readonly kind: 'prepared'; readonly sql: string }
  /** A type was made: the number that the server gave it, and its name. */
  | { readonly kind: 'type'; readonly oid: number; readonly name: string }
  | { readonly kind: 'began'; readonly session: number; readonly processId: number; readonly startup: Startup }
  | SessionRequest
  /** Messages, as bytes. */
  | { readonly kind: 'response'; readonly session: number; readonly bytes: string }
  /** One that waited executes again. */
  | { readonly kind: 'goes-on'; readonly session: number }
  /** The statement of one that waited is over: null, or the code of its error. */
  | { readonly kind: 'woke'; readonly session: number; readonly code: string | null }
  /** What waited for it goes on at that time, by the server's own clock. */
  | { readonly kind: 'ends'; readonly session: number; readonly atUs: number }
  /** All that was asked last, or an end, brought about at once has happened: who waits for whom. */
  | { readonly kind: 'settled'; readonly waiting: ReadonlyMap<number, readonly number[]> }
  /**
   * Something became of the server that no client asked for; what follows cannot be had from
   * another one.
   */
  | { readonly kind: 'fault'; readonly what: string }
