import type { Pool, PoolClient } from 'pg'

/**
 * Does the work between `begin` and COMMIT, on a separate connection. After a failure the
 * connection is closed, and its transaction ends with it; the next transaction sees its outcome.
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
