/**
 * What the layer asks of a pool of `pg`, whatever copy of it the application has: the layer depends
 * on none.
 */

/**
 * A row, by the names of its columns; an integer of 64 bits is a text, as `pg` has it by default.
 */
export type Row = Readonly<Record<string, unknown>>

export interface PgAnswer {
  /** What the server did, by its own word: ROLLBACK, also where it was asked for a COMMIT. */
  readonly command: string
  readonly rows: readonly Row[]
  readonly rowCount: number | null
}

export interface PgClient {
  query(text: string, values?: unknown[]): Promise<PgAnswer>
  /** With an error the connection is closed and not used again. */
  release(error?: Error): void
  on(event: 'notice' | 'error', listener: (reported: PgNotice) => void): unknown
  removeListener(event: 'notice' | 'error', listener: (reported: PgNotice) => void): unknown
}

/** A notice of the server, or an error. */
export interface PgNotice {
  readonly code?: string | undefined
  readonly message?: string | undefined
}

export interface PgPool {
  connect(): Promise<PgClient>
}

/** What a pool hands out, by its `connect`, with a second signature or without. */
export type ClientOf<Pool extends PgPool> = Pool['connect'] extends {
  (): Promise<infer Client>
  (...given: never[]): unknown
}
  ? Client
  : PgClient

/** Throws `TypeError` for what is no pool. */
export function needPool(pool: unknown): void {
  if (typeof (pool as PgPool | null)?.connect === 'function' && !('release' in (pool as object))) {
    const { totalCount } = pool as { totalCount?: unknown }
    if (typeof totalCount === 'number') return
  }
  throw new TypeError('pool: not a Pool of pg: give new Pool({ connectionString })')
}
