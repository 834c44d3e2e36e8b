/** What is asked of PostgreSQL where statements are counted. */
interface Asks {
  query(sql: string, values?: readonly string[]): Promise<unknown>
}

export const table = 'CREATE TABLE seen (k text PRIMARY KEY, n int NOT NULL)'
/**
 * So many that a run's world, its connections and its deployment are a small part of it: the rates
 * of layers have those.
 */
export const statements = 2000

/** One statement after the other, as a layer sends them. */
export async function upserts(client: Asks): Promise<void> {
  for (let at = 0; at < statements; at++)
    await client.query(
      'INSERT INTO seen (k, n) VALUES ($1, 1) ON CONFLICT (k) DO UPDATE SET n = seen.n + 1 RETURNING n',
      [`key-${at % 10}`],
    )
}
