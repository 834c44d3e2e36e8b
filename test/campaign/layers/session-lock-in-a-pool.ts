/**
 * Takes and releases a session lock through a pool. A release on another session has no effect, and
 * the session that holds the lock is granted it again.
 */
import { inPostgres, isDone } from './in-postgres.ts'

export default inPostgres(
  'session-lock-in-a-pool',
  'CREATE TABLE finished (key text NOT NULL)',
  async (message, { pool, effectOf, transaction }) => {
    const { key } = message
    const locked = await pool.query('SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS got', [key])
    if (!locked.rows[0].got) return { status: 'retry', reason: 'locked' }
    try {
      if ((await pool.query('SELECT 1 FROM finished WHERE key = $1', [key])).rowCount !== 0) return isDone
      const effect = await effectOf(message)
      return await transaction(async (client) => {
        await client.query(effect.text, effect.values as unknown[])
        await client.query('INSERT INTO finished VALUES ($1)', [key])
        return isDone
      })
    } finally {
      await pool.query('SELECT pg_advisory_unlock(hashtextextended($1, 0))', [key]).catch(() => {})
    }
  },
)
