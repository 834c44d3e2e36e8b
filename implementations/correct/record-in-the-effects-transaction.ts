/**
 * The record and the effect are rows of one transaction: both exist, or neither. Why it is correct,
 * and what it assumes: docs/findings/correct-layers.md.
 */
import { Pool } from 'pg'
import { defineImplementation } from '../../src/contract/api/implementation.ts'
import type { JsonValue } from '../../src/contract/api/json.ts'
import { fingerprint } from './parts/bind-payload.ts'

interface Row {
  readonly fingerprint: string
  readonly result: { readonly value: JsonValue }
}

export default defineImplementation({
  id: 'record-in-the-effects-transaction',
  about:
    'INSERT ON CONFLICT DO NOTHING, effect and result in one transaction of PostgreSQL: committed together or not at all.',
  expect: 'holds',
  accepts: [{ what: 'asynchronous-failover', because: 'a standby may lack the record' }],
  recoveryBoundMs: 60_000,
  stores: ['postgres'],
  sinks: ['transactional'],
  leavesNoDoubtOn: ['transactional'],
  lacks: ['lease'],
  has: ['transactions'],
  async deploy({ postgres }) {
    const pool = new Pool(postgres!.options)
    await pool.query('CREATE TABLE records (key text PRIMARY KEY, fingerprint text NOT NULL, result jsonb)')
    await pool.end()
  },
  create({ postgres, sink }) {
    const pool = new Pool({ ...postgres!.options, connectionTimeoutMillis: 5000, query_timeout: 60_000 })
    pool.on('error', () => {})
    return {
      async handle({ key, payload }) {
        const own = fingerprint(payload)
        const client = await pool.connect()
        try {
          await client.query("BEGIN; SET LOCAL synchronous_commit = 'on'")
          // The second transaction waits here until the first has committed or is gone.
          const inserted = await client.query(
            'INSERT INTO records (key, fingerprint) VALUES ($1, $2) ON CONFLICT (key) DO NOTHING',
            [key, own],
          )
          if (inserted.rowCount === 0) {
            const { rows } = await client.query<Row>('SELECT fingerprint, result FROM records WHERE key = $1', [key])
            await client.query('COMMIT')
            client.release()
            const [record] = rows
            if (record === undefined) return { status: 'retry', reason: 'no record' }
            if (record.fingerprint !== own) return { status: 'dead-letter', reason: 'key-reused' }
            return { status: 'done', result: record.result.value }
          }
          const { text, values, result } = await sink.statement!({ key, payload })
          await client.query(text, values)
          await client.query('UPDATE records SET result = $1 WHERE key = $2', [
            JSON.stringify({ value: result ?? null }),
            key,
          ])
          await client.query('COMMIT')
          client.release()
          return { status: 'done', result: result ?? null }
        } catch (error) {
          // The next attempt sees the outcome of the transaction. The connection is not used again.
          client.release(error as Error)
          throw error
        }
      },
      close: () => pool.end(),
    }
  },
})
