/** A real PostgreSQL server as the crosscheck needs it; the command line finds and starts one. */
import type { RealSessions } from 'test-servers'

export interface RealPostgres {
  readonly version: string
  /** @throws ServerGone */
  open(login: { readonly user: string; readonly database: string }): Promise<RealSessions>
  stop(): Promise<void>
}

/** A server to start when it is needed, or why there is none. */
export type RealPostgresOffer =
  | { readonly kind: 'ready'; start(): Promise<RealPostgres> }
  | { readonly kind: 'none'; readonly reason: string }
