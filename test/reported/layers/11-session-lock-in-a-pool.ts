import { inPostgres, isDone } from '../../campaign/layers/in-postgres.ts'

export { default as bug } from '../../campaign/layers/session-lock-in-a-pool.ts'

/** The transaction owns the lock: its connection takes the lock, and the end of it releases it. */
export const fix = inPostgres(
  'lock-of-the-transaction',
  'CREATE TABLE finished (key text NOT NULL)',
  (message, { effectOf, transaction }) =>
    transaction(async (client) => {
      const { key } = message
      await client.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [key])
      if ((await client.query('SELECT 1 FROM finished WHERE key = $1', [key])).rowCount !== 0) return isDone
      const effect = await effectOf(message)
      await client.query(effect.text, effect.values)
      await client.query('INSERT INTO finished VALUES ($1)', [key])
      return isDone
    }),
)
