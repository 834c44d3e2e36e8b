import type { Client, ClientConfig } from 'pg'

/** A session of `pg`, which users install themselves: only runs on PostgreSQL load it. */
export async function openClient(config: ClientConfig): Promise<Client> {
  const pg = await import('pg')
  const client = new pg.Client(config)
  // Statements tell their own failures.
  client.on('error', () => {})
  await client.connect()
  return client
}
