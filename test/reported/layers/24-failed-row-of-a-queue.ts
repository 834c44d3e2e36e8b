/** A queue in PostgreSQL without retries: a failed job stays failed, and keeps its key. */
import { Pool } from 'pg'
import type { Implementation } from '../../../src/contract/api/implementation.ts'

const table = 'CREATE TABLE jobs (key text PRIMARY KEY, payload jsonb NOT NULL, state text NOT NULL)'
const take = `UPDATE jobs SET state = 'active' WHERE key IN
  (SELECT key FROM jobs WHERE state = 'created' ORDER BY key LIMIT 5 FOR UPDATE SKIP LOCKED) RETURNING key, payload`

export const bug: Implementation = {
  ...{ id: 'failed-row-of-a-queue', recoveryBoundMs: 300_000 },
  ...{ stores: ['postgres'], sinks: ['keyed'], lacks: ['stored-result', 'lease'] },
  async deploy({ postgres }) {
    const pool = new Pool(postgres!.options)
    await pool.query(table)
    await pool.end()
  },
  create({ postgres, sink }) {
    const pool = new Pool({ ...postgres!.options, connectionTimeoutMillis: 5000, query_timeout: 60_000 })
    pool.on('error', () => {})
    pool.on('connect', (client) => client.on('error', () => {}))
    const end = (key: string, state: string) => pool.query('UPDATE jobs SET state = $2 WHERE key = $1', [key, state])
    async function work(): Promise<void> {
      for (const { key, payload } of (await pool.query(take)).rows)
        await sink.perform({ key, payload }).then(
          () => end(key, 'completed'),
          () => end(key, 'failed'),
        )
    }
    const timer = setInterval(() => void work().catch(() => {}), 500)
    return {
      async handle({ key, payload }) {
        const job = "INSERT INTO jobs VALUES ($1, $2, 'created') ON CONFLICT (key) DO NOTHING"
        await pool.query(job, [key, JSON.stringify(payload)])
        return { status: 'accepted' }
      },
      close() {
        clearInterval(timer)
        return pool.end()
      },
    }
  },
}
