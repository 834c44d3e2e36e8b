/**
 * Messages become rows, and a worker takes a row by a lock and an update in one statement. A row
 * has an id, and the key is inside its content. A job is taken only once, unless `frees` releases
 * it after 5 s.
 */
import { Pool } from 'pg'
import type { Implementation } from '../../../../src/contract/api/implementation.ts'

const take = (frees: boolean) => `
  WITH next AS (
    SELECT id FROM queue.job
    WHERE state = 'created' ${frees ? "OR (state = 'active' AND taken < now() - interval '5 seconds')" : ''}
    ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED
  )
  UPDATE queue.job j SET state = 'active', taken = now() FROM next WHERE j.id = next.id RETURNING j.id, j.data`
const finish = `
  WITH results AS (UPDATE queue.job SET state = 'completed' WHERE id = ANY($1::uuid[]) RETURNING *)
  SELECT count(*) FROM results`

export const rowQueue = ({ frees = false } = {}): Pick<Implementation, 'create'> & Partial<Implementation> => ({
  stores: ['postgres'],
  lacks: ['lease'],
  async deploy({ postgres }) {
    const pool = new Pool(postgres!.options)
    await pool.query('CREATE SCHEMA queue')
    await pool.query(`CREATE TABLE queue.job
      (id uuid PRIMARY KEY, singleton text UNIQUE, data jsonb NOT NULL, state text NOT NULL, taken timestamptz)`)
    await pool.end()
  },
  create({ postgres, sink }) {
    const pool = new Pool({ ...postgres!.options, connectionTimeoutMillis: 5000 })
    pool.on('error', () => {})
    pool.on('connect', (client) => client.on('error', () => {}))

    async function work(): Promise<void> {
      for (const { id, data } of (await pool.query(take(frees))).rows) {
        await sink.perform(data)
        await pool.query(finish, [[id]])
      }
    }

    const timer = setInterval(() => void work().catch(() => {}), 500)
    return {
      async handle({ key, payload }) {
        const insert = `INSERT INTO queue.job SELECT gen_random_uuid(), $1, $2, 'created' ON CONFLICT DO NOTHING RETURNING id`
        await pool.query(insert, [key, JSON.stringify({ key, payload })])
        return { status: 'accepted' }
      },
      async close() {
        clearInterval(timer)
        await pool.end()
      },
    }
  },
})
