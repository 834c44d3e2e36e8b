import { inPostgres, isDone } from '../../campaign/layers/in-postgres.ts'

export { default as bug } from '../../campaign/layers/upsert-over-a-record.ts'

/** The row of another attempt is not changed: the insert waits for it, and does nothing. */
export const fix = inPostgres(
  'insert-or-do-nothing',
  'CREATE TABLE requests (key text PRIMARY KEY, state text NOT NULL)',
  (message, { effectOf, transaction }) =>
    transaction(async (client) => {
      const { key } = message
      const claim = "INSERT INTO requests VALUES ($1, 'begun') ON CONFLICT (key) DO NOTHING"
      if ((await client.query(claim, [key])).rowCount === 0) return isDone
      const effect = await effectOf(message)
      await client.query(effect.text, effect.values)
      await client.query("UPDATE requests SET state = 'completed' WHERE key = $1", [key])
      return isDone
    }),
)
