/** The read locks no row if it does not exist yet, and the upsert treats any row as its own. */
import { inPostgres, isDone } from './in-postgres.ts'

export default inPostgres(
  'upsert-over-a-record',
  'CREATE TABLE requests (key text PRIMARY KEY, state text NOT NULL)',
  (message, { effectOf, transaction }) =>
    transaction(async (client) => {
      const { key } = message
      const found = await client.query('SELECT state FROM requests WHERE key = $1 FOR UPDATE', [key])
      if (found.rows[0]?.state === 'completed') return isDone
      const claim = "INSERT INTO requests VALUES ($1, 'begun') ON CONFLICT (key) DO UPDATE SET state = 'begun'"
      await client.query(claim, [key])
      const effect = await effectOf(message)
      await client.query(effect.text, effect.values as unknown[])
      await client.query("UPDATE requests SET state = 'completed' WHERE key = $1", [key])
      return isDone
    }),
)
