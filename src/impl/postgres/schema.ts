/**
 * The two tables of the layer: their definition and creation, and a check of existing
 * tables.
 */
import { asError } from '../as-error.ts'
import { freshToken } from '../identity.ts'
import { needKnown } from '../known-options.ts'
import { needInteger, needNamespace } from '../options.ts'
import type { PgClient, PgPool } from './pool.ts'
import { type Tables, tablesOf, timeline } from './sql.ts'

/**
 * DDL for your own migration. The search path decides where the tables are made. `createOnceTables`
 * makes them too, adds the columns that tables of an older version lack, and records, as a
 * migration cannot, the time after which no message's effect was performed.
 * @example
 * ```ts
 * import { onceTables } from 'onceproof/once'
 *
 * console.log(onceTables.trim()) // CREATE TABLE IF NOT EXISTS once_records (…
 * ```
 */
export const onceTables: string = ddlOf(tablesOf(''))

/**
 * As `onceTables`, for a layer with this `namespace`. Throws `TypeError` if it is not valid.
 * @example
 * ```ts
 * import { onceTablesIn } from 'onceproof/once'
 *
 * console.log(onceTablesIn('pay').trim()) // CREATE TABLE IF NOT EXISTS once_pay_records (…
 * ```
 */
export function onceTablesIn(namespace: string): string {
  needNamespace(namespace)
  return ddlOf(tablesOf(namespace))
}

function ddlOf({ records, generations }: Tables): string {
  return `
CREATE TABLE IF NOT EXISTS ${records} (
  key         text    PRIMARY KEY,
  state       text    NOT NULL,            -- free, acquired, begun, completed, refused
  fingerprint text    NOT NULL,            -- of the message: birth, key and payload
  owner       text    NOT NULL,            -- the attempt that holds the key, if one does
  fence       bigint  NOT NULL,            -- orders the holders: microseconds since the Unix epoch, or more
  nonce       text    NOT NULL DEFAULT '', -- of the begin
  deadline_ms bigint  NOT NULL DEFAULT 0,  -- when the lease ends
  generation  text    NOT NULL DEFAULT '', -- of the data in which the key was taken
  permit      boolean NOT NULL DEFAULT false, -- a doubt was settled: another attempt is permitted
  attempts    integer NOT NULL DEFAULT 0,
  counted     bigint,                      -- fence of the attempt that was counted last
  result      text,                        -- JSON
  unkept      text,                        -- why the result is null
  error       text,                        -- of a refusal
  revision    text    NOT NULL,            -- another one with each change
  expires_ms  bigint  NOT NULL,            -- when it may be deleted
  produced_ms bigint,                      -- producedAt of the message
  begins      integer NOT NULL DEFAULT 0,  -- attempts that have begun
  begun_fence bigint,                      -- of the begin that has no outcome yet
  begun_ms    bigint,                      -- its time
  process     text,                        -- its process
  meta        text                         -- JSON of its caller
);
CREATE INDEX IF NOT EXISTS ${records}_expires ON ${records} (expires_ms);
CREATE INDEX IF NOT EXISTS ${records}_begun ON ${records} (key) WHERE state = 'begun';
CREATE TABLE IF NOT EXISTS ${generations} (
  timeline    text    PRIMARY KEY,         -- of the server that had the data
  id          text    NOT NULL,
  born_ms     bigint  NOT NULL             -- when it was first seen
);
`
}

const text = 25
const bigint = 20
const columns: Readonly<Record<keyof Tables, Readonly<Record<string, number>>>> = {
  records: {
    ...{ key: text, state: text, fingerprint: text, owner: text, fence: bigint, nonce: text, deadline_ms: bigint },
    ...{ generation: text, permit: 16, attempts: 23, counted: bigint, result: text, unkept: text, error: text },
    ...{ revision: text, expires_ms: bigint, produced_ms: bigint, begins: 23, begun_fence: bigint, begun_ms: bigint },
    ...{ process: text, meta: text },
  },
  generations: { timeline: text, id: text, born_ms: bigint },
}
const keyOf: Readonly<Record<keyof Tables, string>> = { records: 'key', generations: 'timeline' }

/** The columns that tables of an older version lack. Its statements leave them alone. */
const added: Readonly<Record<string, string>> = {
  ...{ produced_ms: 'bigint', begins: 'integer NOT NULL DEFAULT 0', begun_fence: 'bigint', begun_ms: 'bigint' },
  ...{ process: 'text', meta: 'text' },
}

/**
 * A table is missing or differs from the layer's definition, or the pool's role lacks a right. The
 * message says how to repair it.
 * @example
 * ```ts no-run
 * import { createOnceTables, SchemaError } from 'onceproof/once'
 * import pg from 'pg'
 *
 * await createOnceTables({ pool: new pg.Pool() }).catch((error) => {
 *   if (error instanceof SchemaError) console.error(error.message)
 *   throw error
 * })
 * ```
 */
export class SchemaError extends Error {
  override readonly name = 'SchemaError'
}

/**
 * Checks the tables without writing. Throws `SchemaError` if a table is missing or differs, and
 * passes on other errors of the server or the connection.
 */
export async function checkTables(client: PgClient, at: Tables): Promise<void> {
  for (const kind of ['records', 'generations'] as const) {
    const [table, expected] = [at[kind], columns[kind]]
    const names = Object.keys(expected)
    const found = await rowless(client, at, kind, `SELECT ${names.join(', ')} FROM ${table} WHERE false`)
    for (const { name, dataTypeID } of found)
      if (dataTypeID !== expected[name]) throw differs(table, `its column ${name} has another type than expected`)
    // Also checks the right to insert, without which runs would fail at their first record, and the
    // primary key, without which effects would not be unique.
    await rowless(
      client,
      at,
      kind,
      `INSERT INTO ${table} (${names.join(', ')}) SELECT ${names.join(', ')} FROM ${table} WHERE false ON CONFLICT (${keyOf[kind]}) DO NOTHING`,
    )
  }
}

type Fields = readonly { readonly name: string; readonly dataTypeID: number }[]

async function rowless(client: PgClient, at: Tables, kind: keyof Tables, sql: string): Promise<Fields> {
  const table = at[kind]
  try {
    return ((await client.query(sql)) as unknown as { readonly fields: Fields }).fields
  } catch (error) {
    const { code, message } = error as { code?: string; message?: string }
    if (code === '42703' && Object.keys(added).some((name) => message?.includes(`"${name}"`)))
      throw new SchemaError(
        `the table ${table} is of an older version: call createOnceTables, which adds columns, and then start this one`,
      )
    if (code === '42P01')
      throw new SchemaError(
        `PostgreSQL has no table ${table} on the search path: call createOnceTables once, before the first consumer starts`,
      )
    if (code === '42501')
      throw new SchemaError(
        `PostgreSQL answered: ${message}. GRANT SELECT, INSERT, UPDATE, DELETE ON ${at.records}, ${at.generations} TO the role of the pool`,
      )
    if (code?.startsWith('42')) throw differs(table, `PostgreSQL says: ${message}`)
    throw error
  }
}

const differs = (table: string, how: string) =>
  new SchemaError(`the table ${table} is not the layer's: ${how}. Rename it, or fix it by the DDL in \`onceTables\``)

/**
 * Options of `createOnceTables`.
 * @example
 * ```ts
 * import type { CreateOnceTablesOptions } from 'onceproof/once'
 * import pg from 'pg'
 *
 * const options: CreateOnceTablesOptions = { pool: new pg.Pool(), since: Date.UTC(2026, 0, 1) }
 * ```
 */
export interface CreateOnceTablesOptions {
  readonly pool: PgPool
  /** As in `createOnce`. Default: none. */
  readonly namespace?: string
  /**
   * In integer milliseconds since the Unix epoch. Asserts that no effect was performed so far for
   * any message produced later. Default 0: no effect was ever performed. Applies only if no
   * consumer has run on the tables, so that they have no generation yet.
   */
  readonly since?: number
}

/**
 * Makes the tables if they are missing, in one transaction. Of existing ones, it only adds the
 * columns that an older version lacks, which waits for open transactions. Run it
 * as a step of the deployment, never when a consumer starts: after a loss of the database, it
 * would assert again that nothing was performed. Throws `SchemaError` if tables with these names
 * differ, `RangeError` for a number that cannot work, and otherwise the errors of server or
 * connection.
 * @example
 * ```ts no-run
 * import { createOnceTables } from 'onceproof/once'
 * import pg from 'pg'
 *
 * const pool = new pg.Pool({ database: 'payments' })
 * await createOnceTables({ pool })
 * await pool.end()
 * ```
 */
export async function createOnceTables(options: CreateOnceTablesOptions): Promise<void> {
  needKnown('createOnceTables', options, ['pool', 'namespace', 'since'])
  const { pool, namespace = '', since = 0 } = options
  if (namespace !== '') needNamespace(namespace)
  const at = tablesOf(namespace)
  needInteger('since', since, 0)
  const client = await pool.connect()
  const ignored = () => {} // the query in progress gets the error
  client.on('error', ignored)
  let failed: Error | undefined
  try {
    await client.query('BEGIN')
    // CREATE TABLE IF NOT EXISTS fails if another session makes the same table.
    await client.query("SELECT pg_advisory_xact_lock(hashtext('once_records'))")
    await client.query(ddlOf(at))
    await addColumns(client, at)
    await client.query(
      `INSERT INTO ${at.generations} (timeline, id, born_ms)
       SELECT ${timeline}, ${timeline} || ':' || $1, $2::bigint WHERE NOT EXISTS (SELECT FROM ${at.generations})`,
      [freshToken(), since],
    )
    await checkTables(client, at)
    await client.query('COMMIT')
  } catch (error) {
    failed = asError(error)
    throw error
  } finally {
    client.removeListener('error', ignored)
    client.release(failed)
  }
}

/** ALTER TABLE locks out all others, so it is sent only if a column is missing. */
async function addColumns(client: PgClient, at: Tables): Promise<void> {
  const { records } = at
  const fields = await rowless(client, at, 'records', `SELECT * FROM ${records} WHERE false`)
  const missing = Object.entries(added).filter(([name]) => fields.every((field) => field.name !== name))
  if (missing.length === 0) return
  await client.query(`ALTER TABLE ${records} ${missing.map(([name, type]) => `ADD COLUMN ${name} ${type}`).join(', ')}`)
}
