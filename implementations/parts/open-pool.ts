import { Pool } from 'pg'
import type { PostgresAddress } from '../../src/contract/api/store.ts'

/** Limits waits for connections and answers. Clients survive a session that the server ends. */
export function openPool({ options }: PostgresAddress): Pool {
  const pool = new Pool({ ...options, connectionTimeoutMillis: 10_000, query_timeout: 60_000 })
  pool.on('error', () => {})
  // A pool does not listen to clients that it has handed out.
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

/**
 * The BEGIN of a relay. It holds a row while the sink works, for more than a minute only if it is
 * paused or its connection hangs. Then the server ends its transaction, and the row is free.
 */
export const beginRelay = "BEGIN; SET LOCAL idle_in_transaction_session_timeout = '60s'"
