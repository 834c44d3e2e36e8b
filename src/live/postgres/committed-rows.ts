/**
 * Reads committed data from the real server: effects that are rows, and the rows that a crash lost.
 */
import { effectsTable } from '../../run/sink/effects-table.ts'
import type { LivePostgres } from './live-postgres.ts'

export interface EffectRow {
  readonly effectId: string
  readonly key: string
  readonly payload: string
  /** The time of the row's commit by the server's clock, in microseconds since the epoch. */
  readonly atUs: number
}

/** A row that readers could see, as one text, with the transaction that wrote it. */
export interface SeenRow {
  readonly table: string
  /** The value of the row's column `key`. */
  readonly key: string | null
  readonly text: string
  readonly xid: string
  readonly atUs: string
  /** True if a crash empties the table, even of committed rows. */
  readonly unlogged: boolean
}

/** SQL for a time stamp in microseconds since the epoch, which fit a double exactly. */
const microseconds = (time: string): string => `(extract(epoch FROM ${time}) * 1000000)::bigint::text`

export async function serverUs(server: LivePostgres): Promise<number> {
  const [row] = await server.query<{ us: string }>(`SELECT ${microseconds('clock_timestamp()')} AS us`)
  return Number(row!.us)
}

/** The rows of effects, in the order of their commits. */
export async function effectRows(server: LivePostgres): Promise<EffectRow[]> {
  const rows = await server.query<{ effect_id: string; key: string; payload: string; us: string }>(
    `SELECT effect_id, key, payload, ${microseconds('pg_xact_commit_timestamp(xmin)')} AS us FROM ${effectsTable}
     ORDER BY pg_xact_commit_timestamp(xmin), ctid`,
  )
  return rows.map(({ effect_id: effectId, key, payload, us }) => ({ effectId, key, payload, atUs: Number(us) }))
}

/**
 * All rows of all tables in the layer's database, except tables that are locked against readers,
 * and temporary tables, which only their session can read.
 */
export async function seenRows(server: LivePostgres): Promise<SeenRow[]> {
  const tables = await server.query<{ name: string; quoted: string; unlogged: boolean }>(
    `SELECT relname AS name, oid::regclass::text AS quoted, relpersistence = 'u' AS unlogged FROM pg_class
     WHERE relkind = 'r' AND relpersistence <> 't' AND relnamespace NOT IN ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)`,
  )
  const rows: SeenRow[] = []
  for (const { name, quoted, unlogged } of tables) {
    // `t.*` is used, because `t` alone would be a column of that name.
    const texts = `(SELECT string_agg(value, ' ') FROM json_each_text(to_json(t.*)))`
    const found = await unlessLocked(
      server.query<{ text: string; key: string | null; xid: string; us: string }>(
        `SELECT ${texts} AS text, to_json(t.*)->>'key' AS key, xmin::text AS xid, ${microseconds('pg_xact_commit_timestamp(xmin)')} AS us FROM ${quoted} t`,
      ),
    )
    rows.push(...found.map(({ us: atUs, ...row }) => ({ table: name, ...row, atUs, unlogged })))
  }
  return rows
}

/** The rows; empty after the error `lock_not_available`, because the rows cannot be read. */
async function unlessLocked<Row>(asked: Promise<Row[]>): Promise<Row[]> {
  try {
    return await asked
  } catch (error) {
    if ((error as { code?: string }).code === '55P03') return []
    throw error
  }
}

/**
 * The rows lost in a crash: rows of unlogged tables, and rows whose transaction has not committed.
 * Commit times are compared, because a new transaction may have the number of an old one.
 */
export async function lostRows(server: LivePostgres, seen: readonly SeenRow[]): Promise<SeenRow[]> {
  const now = await server.query<{ xid: string; us: string | null }>(
    `SELECT xid, ${microseconds('pg_xact_commit_timestamp(xid::xid)')} AS us FROM unnest($1::text[]) AS xid`,
    [[...new Set(seen.map(({ xid }) => xid))]],
  )
  const times = new Map(now.map(({ xid, us }) => [xid, us]))
  return seen.filter(({ xid, atUs, unlogged }) => unlogged || times.get(xid) !== atUs)
}
