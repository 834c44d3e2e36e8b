/**
 * 003-postgres-skip-locked, changed so that it commits the claim before the effect and keeps the
 * key claimed.
 */
import { Client } from 'pg'
import { defineImplementation } from '../../../src/contract/api/implementation.ts'

export default defineImplementation({
  id: 'commits-first',
  about: 'Commits that a key is taken before it acts.',
  expect: 'broken',
  stores: ['postgres'],
  sinks: ['plain'],
  recoveryBoundMs: 60_000,
  async deploy({ postgres }) {
    const client = new Client(postgres!.options)
    await client.connect()
    await client.query(`CREATE TABLE idempotency_records (
      idempotency_key TEXT PRIMARY KEY, status TEXT NOT NULL, lock_expires_at TIMESTAMPTZ, response_code INT, response_body JSONB)`)
    await client.end()
  },
  create({ postgres, sink }) {
    return {
      async handle({ key, payload }) {
        const client = new Client(postgres!.options)
        client.on('error', () => {})
        await client.connect()
        try {
          await client.query('BEGIN')
          const { rowCount: inserted } = await client.query(
            `INSERT INTO idempotency_records (idempotency_key, status, lock_expires_at)
             VALUES ($1, 'in_progress', NOW() + $2 * INTERVAL '1 minute') ON CONFLICT (idempotency_key) DO NOTHING`,
            [key, 1],
          )
          await client.query('SELECT * FROM idempotency_records WHERE idempotency_key = $1 FOR UPDATE SKIP LOCKED', [
            key,
          ])
          await client.query('COMMIT')
          if (inserted === 0) return { status: 'retry' }
          const result = await sink.perform({ key, payload })
          return { status: 'done', result: result ?? null }
        } finally {
          void client.end().catch(() => {})
        }
      },
    }
  },
})
