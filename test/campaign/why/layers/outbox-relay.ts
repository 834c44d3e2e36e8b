/**
 * Messages become rows, and the relay of each process sends the rows. `commits`: the relay keeps
 * the rows locked until it has marked them.
 */
import { Pool } from 'pg'
import type { Implementation } from '../../../../src/contract/api/implementation.ts'

export const outboxRelay = ({
  commits = false,
  lock = 'FOR UPDATE SKIP LOCKED',
} = {}): Pick<Implementation, 'create'> & Partial<Implementation> => ({
  stores: ['postgres'],
  lacks: ['lease'],
  async deploy({ postgres }) {
    const pool = new Pool(postgres!.options)
    await pool.query('CREATE TABLE mails (key text PRIMARY KEY, payload text NOT NULL, sent boolean DEFAULT false)')
    await pool.end()
  },
  create({ postgres, sink }) {
    const pool = new Pool({ ...postgres!.options, connectionTimeoutMillis: 5000 })
    pool.on('error', () => {})
    pool.on('connect', (client) => client.on('error', () => {}))

    async function relay(): Promise<void> {
      const client = await pool.connect()
      try {
        if (commits) await client.query('BEGIN')
        const { rows } = await client.query(`SELECT key, payload FROM mails WHERE NOT sent LIMIT 5 ${lock}`)
        for (const { key, payload } of rows) {
          await sink.perform({ key, payload: JSON.parse(payload) })
          await client.query('UPDATE mails SET sent = true WHERE key = $1', [key])
        }
        if (commits) await client.query('COMMIT')
        client.release()
      } catch (error) {
        client.release(error as Error)
      }
    }

    const timer = setInterval(() => void relay().catch(() => {}), 500)
    return {
      async handle({ key, payload }) {
        const text = JSON.stringify(payload)
        await pool.query('INSERT INTO mails (key, payload) VALUES ($1, $2) ON CONFLICT (key) DO NOTHING', [key, text])
        return { status: 'accepted' }
      },
      async close() {
        clearInterval(timer)
        await pool.end()
      },
    }
  },
})
