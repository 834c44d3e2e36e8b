/**
 * Drops an object in a shared database. If another session holds a lock on the object, the wait is
 * limited, and the error names that session.
 */
import type { Client } from 'pg'

const timeoutMs = 2_000
/** The interval at which to look for the session that blocks. */
const lookMs = 50

/**
 * Executes a DROP statement. `watcher`: a second session.
 * @throws the server's error, or one that names the session that held the lock for too long
 */
export async function dropUnlessLocked(client: Client, watcher: Client, statement: string): Promise<void> {
  await client.query(`SET lock_timeout = ${timeoutMs}`)
  const [{ pid }] = (await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows as [{ pid: number }]
  let over = false
  const dropping = client.query(statement).finally(() => {
    over = true
  })
  // Avoids an unhandled rejection: the promise is awaited below.
  dropping.catch(() => {})
  let holder: string | null = null
  while (!over) {
    await soon(dropping)
    if (!over) holder = (await holderOf(watcher, pid)) ?? holder
  }
  await dropping.catch((error: Error & { code?: string }) => {
    if (error.code !== lockNotAvailable || holder === null) throw error
    throw new Error(`${holder} has held a lock on it for more than ${timeoutMs} ms`)
  })
}

const lockNotAvailable = '55P03'

function soon(dropping: Promise<unknown>): Promise<unknown> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, lookMs)
    const end = (): void => {
      clearTimeout(timer)
      resolve(null)
    }
    dropping.then(end, end)
  })
}

/** Describes the first session that blocks. Details of other users' sessions may be hidden. */
async function holderOf(watcher: Client, pid: number): Promise<string | null> {
  const { rows } = await watcher.query<{ pid: number; role: string | null; application: string; state: string | null }>(
    `SELECT blocking.pid, usename AS role, application_name AS application, state
     FROM unnest(pg_blocking_pids($1)) AS blocking(pid) LEFT JOIN pg_stat_activity a ON a.pid = blocking.pid
     ORDER BY blocking.pid LIMIT 1`,
    [pid],
  )
  const [holder] = rows
  if (holder === undefined) return null
  const { role, application, state } = holder
  const more = [...(application ? [application] : []), ...(state ? [state] : [])].join(', ')
  return `session ${holder.pid}${role === null ? '' : ` of ${role}`}${more === '' ? '' : ` (${more})`}`
}
