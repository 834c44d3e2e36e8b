/**
 * Article 003 ("Resilient Idempotency Layers for Asynchronous Messaging Systems"), its second
 * strategy, idempotent_postgres: a row `in_progress` for a minute by INSERT … ON CONFLICT DO
 * NOTHING, read FOR UPDATE SKIP LOCKED, `completed` after the effect, all in one transaction.
 *
 * What the article claims: business logic and record are one transaction, so no work lacks its
 * record; the most robust of its strategies. SKIP LOCKED shows a second worker at once that the key
 * is taken.
 *
 * As printed, no call performs an effect: it ends in NameError (`time` is not imported); with the
 * import, in TypeError (a datetime is compared with psycopg2's Timestamp); with that fixed, the
 * first caller mistakes its own new row for another consumer's, raises and rolls back. This adapter
 * is the nearest form that works: the consumer that has inserted the row continues with it.
 *
 * Limits: the lock for a minute by the database's clock, compared with the consumer's; rows are
 * kept for ever (the article wants a clean-up job).
 * How it acknowledges: a completed key returns the stored answer; a key in progress raises and is
 * redelivered; a failed effect deletes the row and raises, which rolls everything back.
 * What differs: the key is a text, not a UUID like the article's; the status is a text with a
 * CHECK, not an ENUM; parameters are numbered ($1), and the interval is a number times a minute,
 * because psycopg2 writes values into the text. The index for clean-up jobs is left out.
 * Decided here: the business logic gets no cursor, so it runs outside of the transaction: a `plain`
 * sink. A `transactional` sink gets the article's transaction, as its text means it. As printed,
 * each call opens a connection. The article's answer is a code and a body: 200, and the receipt.
 */
import { Client } from 'pg'
import { type CreateContext, defineImplementation, type Implementation } from '../../src/contract/api/implementation.ts'
import type { JsonValue } from '../../src/contract/api/json.ts'
import type { EffectRequest, EffectResult, Sink } from '../../src/contract/api/sink.ts'

const lockMinutes = 1

const schema = `
  CREATE TABLE idempotency_records (
    idempotency_key TEXT PRIMARY KEY,
    status TEXT NOT NULL CHECK (status IN ('in_progress', 'completed', 'failed')),
    lock_expires_at TIMESTAMPTZ,
    response_code INT,
    response_body JSONB,
    created_at TIMESTAMPTZ NOT NULL DEFAULT NOW(),
    updated_at TIMESTAMPTZ NOT NULL DEFAULT NOW()
  )`

interface Row {
  readonly status: 'in_progress' | 'completed' | 'failed'
  readonly lock_expires_at: Date
  readonly response_body: JsonValue
}

class RequestInProgress extends Error {}

/** Performs the effect; in the transaction of that connection if the sink is transactional. */
async function perform(client: Client, sink: Sink, request: EffectRequest): Promise<EffectResult> {
  if (sink.statement === undefined) return sink.perform(request)
  const { text, values, result } = await sink.statement(request)
  await client.query(text, values)
  return result
}

interface Variant {
  readonly id: string
  readonly about: string
  /** SQL of the operator who deploys it, in addition to the table. */
  readonly deployed?: string
  /** Runs in the consumer's process, until the returned function is called. */
  readonly beside?: (context: CreateContext) => () => void
}

export function skipLocked({ id, about, deployed, beside }: Variant): Implementation {
  return defineImplementation({
    id,
    about,
    expect: 'broken',
    serial: true,
    stores: ['postgres'],
    sinks: ['plain', 'keyed', 'transactional'],
    lacks: ['dead-lettering'],
    has: ['transactions'],
    recoveryBoundMs: lockMinutes * 60_000,
    async deploy({ postgres }) {
      const client = new Client(postgres!.options)
      await client.connect()
      await client.query(schema)
      if (deployed !== undefined) await client.query(deployed)
      await client.end()
    },
    create(context) {
      const { postgres, sink } = context
      const stop = beside?.(context)
      /** The work in a transaction, as in the printed `get_db_cursor`. */
      async function inTransaction<T>(work: (client: Client) => Promise<T>): Promise<T> {
        const client = new Client(postgres!.options)
        client.on('error', () => {})
        await client.connect()
        try {
          await client.query('BEGIN')
          const result = await work(client)
          await client.query('COMMIT')
          return result
        } catch (error) {
          await client.query('ROLLBACK')
          throw error
        } finally {
          // Not awaited: a broken connection never reports its end.
          void client.end().catch(() => {})
        }
      }

      async function guarded(client: Client, key: string, payload: JsonValue): Promise<EffectResult> {
        const { rowCount: inserted } = await client.query(
          `INSERT INTO idempotency_records (idempotency_key, status, lock_expires_at)
         VALUES ($1, 'in_progress', NOW() + $2 * INTERVAL '1 minute')
         ON CONFLICT (idempotency_key) DO NOTHING`,
          [key, lockMinutes],
        )
        const { rows } = await client.query<Row>(
          'SELECT * FROM idempotency_records WHERE idempotency_key = $1 FOR UPDATE SKIP LOCKED',
          [key],
        )
        const [record] = rows
        if (record === undefined) throw new RequestInProgress(`processing in progress for key: ${key}`)
        if (record.status === 'completed') return record.response_body
        if (record.status === 'in_progress' && inserted === 0) {
          if (record.lock_expires_at.getTime() >= Date.now())
            throw new RequestInProgress(`processing already in progress for key: ${key}`)
          await client.query(
            "UPDATE idempotency_records SET lock_expires_at = NOW() + $1 * INTERVAL '1 minute' WHERE idempotency_key = $2",
            [lockMinutes, key],
          )
        }
        try {
          const result = await perform(client, sink, { key, payload })
          await client.query(
            `UPDATE idempotency_records
           SET status = 'completed', response_code = $1, response_body = $2, updated_at = NOW()
           WHERE idempotency_key = $3`,
            [200, JSON.stringify(result ?? null), key],
          )
          return result
        } catch (error) {
          await client.query('DELETE FROM idempotency_records WHERE idempotency_key = $1', [key])
          throw error
        }
      }

      return {
        async handle({ key, payload }) {
          try {
            const result = await inTransaction((client) => guarded(client, key, payload))
            return { status: 'done', result: result ?? null }
          } catch (error) {
            if (error instanceof RequestInProgress) return { status: 'retry', reason: error.message }
            throw error
          }
        },
        close: () => stop?.(),
      }
    },
  })
}

export default skipLocked({
  id: '003-postgres-skip-locked',
  about:
    'A row per key, INSERT ON CONFLICT and FOR UPDATE SKIP LOCKED in one transaction (article 003, PostgreSQL strategy, fixed so that it runs).',
})
