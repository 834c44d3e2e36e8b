/**
 * Article 004, third pattern as in 004-two-phase-lock.ts, in the store that it names last: a table
 * idempotency_records in PostgreSQL, and SELECT … FOR UPDATE instead of the lock.
 *
 * What the article claims: strong transactional guarantees. States, order and times are those of
 * its Redis code; it prints no SQL.
 * How it acknowledges: like 004-two-phase-lock: errors are not acknowledged.
 * Decided here: a phase is a transaction that locks the row, decides and writes. A missing row
 * cannot be locked, so of two first attempts the primary key admits one and rejects the other with
 * an error. Rows have an expiry time, by the database's clock, and are ignored after it: PostgreSQL
 * does not expire them. FOR UPDATE waits, so the lock needs no retries. STARTED's owner is not
 * checked, as in the Redis code.
 */
import type { PoolClient } from 'pg'
import { defineImplementation } from '../../src/contract/api/implementation.ts'
import { answerOf, finalSeconds, perform, type Stored, startedSeconds } from '../articles/004-two-phase-lock.ts'
import { deploys } from '../parts/deploys.ts'
import { inTransaction } from '../parts/in-transaction.ts'
import { openPool } from '../parts/open-pool.ts'

const schema = `
  CREATE TABLE idempotency_records (
    idempotency_key text PRIMARY KEY,
    record text NOT NULL,
    expires_at timestamptz NOT NULL
  )`

interface Row {
  readonly record: string
  readonly ended: boolean
}

async function locked(client: PoolClient, key: string): Promise<Row | undefined> {
  const { rows } = await client.query<Row>(
    'SELECT record, expires_at <= now() AS ended FROM idempotency_records WHERE idempotency_key = $1 FOR UPDATE',
    [key],
  )
  return rows[0]
}

async function write(client: PoolClient, key: string, stored: Stored, seconds: number): Promise<void> {
  await client.query(
    "UPDATE idempotency_records SET record = $2, expires_at = now() + $3 * INTERVAL '1 second' WHERE idempotency_key = $1",
    [key, JSON.stringify(stored), seconds],
  )
}

/** The record in the way; null if STARTED was written. */
async function start(client: PoolClient, key: string): Promise<Stored | null> {
  const row = await locked(client, key)
  if (row !== undefined && !row.ended) return JSON.parse(row.record)
  const started: Stored = { status: 'STARTED' }
  if (row !== undefined) await write(client, key, started, startedSeconds)
  else
    await client.query("INSERT INTO idempotency_records VALUES ($1, $2, now() + $3 * INTERVAL '1 second')", [
      key,
      JSON.stringify(started),
      startedSeconds,
    ])
  return null
}

export default defineImplementation({
  id: '004-two-phase-postgres',
  about:
    'STARTED and the result in two short transactions of PostgreSQL with FOR UPDATE, the effect between them (article 004, a store it names).',
  expect: 'broken',
  stores: ['postgres'],
  sinks: ['plain', 'keyed'],
  lacks: ['dead-lettering'],
  recoveryBoundMs: startedSeconds * 1000,
  deploy: deploys(schema),
  create({ postgres, sink }) {
    const pool = openPool(postgres!)
    return {
      async handle({ key, payload }) {
        try {
          const before = await inTransaction(pool, (client) => start(client, key))
          if (before !== null) return { status: 'done', result: answerOf(key, before) }
          const stored = await perform(sink, { key, payload })
          await inTransaction(pool, async (client) => {
            await locked(client, key)
            await write(client, key, stored, finalSeconds)
          })
          return { status: 'done', result: answerOf(key, stored) }
        } catch (error) {
          return { status: 'retry', reason: String(error) }
        }
      },
      close: () => pool.end(),
    }
  },
})
