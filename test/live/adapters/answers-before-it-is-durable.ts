/**
 * Writes record and effect in one transaction, on a server that answers COMMIT before it is
 * durable.
 */
import { Pool } from 'pg'
import { defineImplementation } from '../../../src/contract/api/implementation.ts'

export default defineImplementation({
  id: 'answers-before-it-is-durable',
  stores: ['postgres'],
  sinks: ['transactional'],
  async deploy({ postgres }) {
    const pool = new Pool(postgres!.options)
    await pool.query('CREATE TABLE records (key text PRIMARY KEY)')
    await pool.end()
  },
  create({ postgres, sink }) {
    const pool = new Pool(postgres!.options)
    pool.on('error', () => {})
    return {
      async handle({ key, payload }) {
        const { text, values, result } = await sink.statement!({ key, payload })
        const client = await pool.connect()
        client.on('error', () => {})
        try {
          await client.query('BEGIN; SET LOCAL synchronous_commit = off')
          const { rowCount } = await client.query('INSERT INTO records VALUES ($1) ON CONFLICT DO NOTHING', [key])
          if (rowCount === 1) await client.query(text, values)
          await client.query('COMMIT')
          client.release()
          return { status: 'done', result: result ?? null }
        } catch (error) {
          client.release(error as Error)
          throw error
        }
      },
    }
  },
})
