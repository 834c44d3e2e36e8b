/**
 * Reads the record, and inserts it with the effect if there is none. Two parallel attempts both
 * insert.
 */
import { Pool } from 'pg'
import { defineImplementation } from '../../../src/contract/api/implementation.ts'
import type { JsonValue } from '../../../src/contract/api/json.ts'

export default defineImplementation({
  id: 'looks-before-inserting',
  stores: ['postgres'],
  sinks: ['transactional'],
  async deploy({ postgres }) {
    const pool = new Pool(postgres!.options)
    await pool.query('CREATE TABLE records (key text, result jsonb)')
    await pool.end()
  },
  create({ postgres, sink }) {
    const pool = new Pool(postgres!.options)
    pool.on('error', () => {})
    return {
      async handle({ key, payload }) {
        const client = await pool.connect()
        client.on('error', () => {})
        try {
          await client.query('BEGIN')
          const { rows } = await client.query<{ result: JsonValue }>('SELECT result FROM records WHERE key = $1', [key])
          if (rows[0] !== undefined) {
            await client.query('COMMIT')
            client.release()
            return { status: 'done', result: rows[0].result }
          }
          const { text, values, result } = await sink.statement!({ key, payload })
          await client.query(text, values)
          await client.query('INSERT INTO records (key, result) VALUES ($1, $2)', [key, JSON.stringify(result ?? null)])
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
