/**
 * The interface that the layer needs from a pool of `pg`, whichever copy the application has. The
 * layer does not depend on `pg`.
 */

/**
 * A row by column names; a 64-bit integer is a text, as in `pg` by default.
 */
export type Row = Readonly<Record<string, unknown>>

export interface PgAnswer {
  /** The command tag returned by the server. It is ROLLBACK if a COMMIT failed. */
  readonly command: string
  readonly rows: readonly Row[]
  readonly rowCount: number | null
}

/**
 * A client of a pool: the members of `pg` that the layer calls.
 * @example
 * ```ts
 * import type { PgClient } from 'onceproof/once'
 *
 * const rows = async (client: PgClient) => (await client.query('SELECT now()')).rows
 * ```
 */
export interface PgClient {
  query(text: string, values?: unknown[]): Promise<PgAnswer>
  /** With an error, the connection is closed and not used again. */
  release(error?: Error): void
  on(event: 'notice' | 'error', listener: (reported: PgNotice) => void): unknown
  removeListener(event: 'notice' | 'error', listener: (reported: PgNotice) => void): unknown
}

/** A notice of the server, or an error. */
export interface PgNotice {
  readonly code?: string | undefined
  readonly message?: string | undefined
}

/**
 * A pool of `pg`, in any version that has these members.
 * @example
 * ```ts
 * import type { PgPool } from 'onceproof/once'
 * import pg from 'pg'
 *
 * const pool: PgPool = new pg.Pool({ database: 'payments' })
 * ```
 */
export interface PgPool {
  connect(): Promise<PgClient>
}

/** The client type of the pool's `connect`, with or without a second signature. */
export type ClientOf<Pool extends PgPool> = Pool['connect'] extends {
  (): Promise<infer Client>
  (...given: never[]): unknown
}
  ? Client
  : PgClient

/** Throws `TypeError` if it is not a pool. */
export function needPool(pool: unknown): void {
  if (typeof (pool as PgPool | null)?.connect === 'function' && !('release' in (pool as object))) {
    const { totalCount } = pool as { totalCount?: unknown }
    if (typeof totalCount === 'number') return
  }
  throw new TypeError('pool: not a Pool of pg: give new Pool({ connectionString })')
}
