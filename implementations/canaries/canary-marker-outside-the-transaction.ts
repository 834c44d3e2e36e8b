/**
 * Canary for PostgreSQL: a unique index as the first line of defence, and the effect outside of the
 * marker's transaction. A crash between the two leaves a marker without an effect. A failed effect
 * deletes the marker, although the effect may have committed.
 */
import { Pool } from 'pg'
import { defineImplementation } from '../../src/contract/api/implementation.ts'

export default defineImplementation({
  id: 'canary-marker-outside-the-transaction',
  about: 'INSERT ON CONFLICT DO NOTHING as a marker, and the effect in a separate transaction: a crash parts the two.',
  expect: 'broken',
  stores: ['postgres'],
  sinks: ['transactional', 'plain'],
  lacks: ['lease', 'stored-result', 'dead-lettering'],
  hunt: {
    killedBy: ['crash', 'postgres-restart', 'lost-reply', 'lost-request', 'connection-reset'],
    scenarios: ['postgres-crash'],
    sink: 'transactional',
  },
  async deploy({ postgres }) {
    const pool = new Pool(postgres!.options)
    await pool.query('CREATE TABLE markers (key text PRIMARY KEY)')
    await pool.end()
  },
  create({ postgres, sink }) {
    const pool = new Pool(postgres!.options)
    pool.on('error', () => {})
    return {
      async handle({ key, payload }) {
        const marked = await pool.query('INSERT INTO markers (key) VALUES ($1) ON CONFLICT DO NOTHING', [key])
        if (marked.rowCount === 0) return { status: 'done', result: null }
        try {
          if (sink.statement === undefined) await sink.perform({ key, payload })
          else {
            const { text, values } = await sink.statement({ key, payload })
            await pool.query(text, values)
          }
        } catch (error) {
          await pool.query('DELETE FROM markers WHERE key = $1', [key])
          throw error
        }
        return { status: 'done', result: null }
      },
      close: () => pool.end(),
    }
  },
})
