/** The statements that are measured on PostgreSQL. */
interface Asks {
  query(sql: string, values?: readonly string[]): Promise<unknown>
}

export const table = 'CREATE TABLE seen (k text PRIMARY KEY, n int NOT NULL)'
/**
 * The number is high, so that the cost of a run's world, connections and deployment hardly matters.
 * The rates of layers include that cost.
 */
export const statements = 2000

/** Sends one statement after the other, as a layer does. */
export async function upserts(client: Asks): Promise<void> {
  for (let at = 0; at < statements; at++)
    await client.query(
      'INSERT INTO seen (k, n) VALUES ($1, 1) ON CONFLICT (k) DO UPDATE SET n = seen.n + 1 RETURNING n',
      [`key-${at % 10}`],
    )
}
