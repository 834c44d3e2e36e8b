import type { Pool, PoolClient } from 'pg'

/**
 * Does the work between `begin` and COMMIT, on a connection of its own. One on which something failed is not used again, and its
 * transaction ends with it: what that came to, the next one sees.
 */
export async function inTransaction<T>(
  pool: Pool,
  work: (client: PoolClient) => Promise<T>,
  begin = 'BEGIN',
): Promise<T> {
  const client = await pool.connect()
  try {
    await client.query(begin)
    const result = await work(client)
    await client.query('COMMIT')
    client.release()
    return result
  } catch (error) {
    client.release(error as Error)
    throw error
  }
}
