import type { Client, ClientConfig } from 'pg'

/**
 * Opens a session of `pg`. Users install that package themselves, so only runs on PostgreSQL load
 * it.
 */
export async function openClient(config: ClientConfig): Promise<Client> {
  const pg = await import('pg')
  const client = new pg.Client(config)
  // An error is ignored here, because it also appears in the results of statements.
  client.on('error', () => {})
  await client.connect()
  return client
}
