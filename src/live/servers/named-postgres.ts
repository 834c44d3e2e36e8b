/**
 * `--with postgres://…`: a database that the user names. It must be empty, and the run may use all
 * of it. Everything that a run creates there is dropped afterwards. Others may use the server, so
 * its settings and process are not touched.
 */
import type { Client } from 'pg'
import { NotCleared } from '../environment/not-cleared.ts'
import { LiveProblem } from '../environment/problem.ts'
import { dropUnlessLocked } from '../postgres/drop-unless-locked.ts'
import { openClient } from '../postgres/open-client.ts'
import type { PostgresHost, PostgresMachine } from '../postgres/postgres-machine.ts'
import { listens } from './listens.ts'
import type { Power } from './live-server.ts'
import { readServerUrl, withoutPassword } from './server-url.ts'

const timeoutMs = 3_000

export const isPostgresUrl = (text: string): boolean => /^postgres(ql)?:/.test(text)

interface NamedDatabase {
  readonly host: string
  readonly port: number
  readonly user: string
  readonly password: string
  readonly database: string
}

/**
 * Opens the database.
 * @throws LiveProblem if it cannot be reached, refuses the login or is not empty
 */
export async function openNamedPostgres(url: string): Promise<PostgresHost> {
  const name = `--with ${withoutPassword(url)}`
  const to = addressOf(url, name)
  const version = await withClient(to, name, async (client) => {
    const ask = async (sql: string) => Object.values((await client.query(sql)).rows[0] ?? {})[0] as string
    const [found] = await objects(client)
    if (found !== undefined) throw new LiveProblem(name, `the database is not empty (${found}); give an empty one`)
    if ((await ask('SHOW track_commit_timestamp')) !== 'on')
      throw new LiveProblem(name, 'it records no commit times; set track_commit_timestamp = on and restart it')
    return (await ask('SHOW server_version')).split(' ')[0]!
  })
  return {
    about: `PostgreSQL ${version}, whose database is emptied after each run`,
    refuses,
    async start() {
      return machineOf(to, () =>
        withClient(to, name, (client) => withClient(to, name, (watcher) => clear(client, watcher, name))),
      )
    },
    close: async () => {},
  }
}

function refuses(power: Power): string {
  if (power === 'clock') return 'runs do not shift the clock of a server that you give'
  if (power === 'restart') return 'runs do not restart a server that you give'
  if (power === 'freeze') return 'runs do not stop a server that you give'
  return 'runs do not change the roles of a server that you give'
}

function addressOf(url: string, name: string): NamedDatabase {
  const remedy = 'give user, host and database: postgres://user:password@host:5432/database'
  const { hostname, port, username, password, pathname, search } = readServerUrl(url, remedy)
  if (search !== '') throw new LiveProblem(name, `remove ${search}; its settings and TLS are not supported`)
  if (hostname === '' || username === '' || pathname.length < 2) throw new LiveProblem(name, remedy)
  return {
    host: hostname,
    port: port === '' ? 5432 : Number(port),
    user: username,
    password,
    database: pathname.slice(1),
  }
}

/**
 * Opens a session for the work.
 * @throws LiveProblem if the database cannot be reached
 */
async function withClient<T>(to: NamedDatabase, name: string, work: (client: Client) => Promise<T>): Promise<T> {
  const config = { ...to, connectionTimeoutMillis: timeoutMs }
  const client = await openClient(config).catch(({ message, code }: Error & { code?: string }) => {
    throw new LiveProblem(name, `unreachable (${message || code}); check that it runs and that the URL is right`)
  })
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

const ours = `nspname NOT LIKE 'pg\\_%' AND nspname <> 'information_schema'`

/**
 * The objects in the database, each named as in its DROP statement. Objects that are part of other
 * objects are omitted.
 */
async function objects(client: Client): Promise<string[]> {
  const kinds = `CASE relkind WHEN 'v' THEN 'VIEW' WHEN 'm' THEN 'MATERIALIZED VIEW' WHEN 'S' THEN 'SEQUENCE' WHEN 'f' THEN 'FOREIGN TABLE' ELSE 'TABLE' END`
  const { rows } = await client.query<{ what: string }>(
    `SELECT 'SCHEMA ' || quote_ident(nspname) AS what FROM pg_namespace WHERE ${ours} AND nspname <> 'public'
     UNION ALL SELECT ${kinds} || ' ' || quote_ident(nspname) || '.' || quote_ident(relname)
       FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace WHERE relkind IN ('r', 'p', 'v', 'm', 'S', 'f') AND ${ours}
     UNION ALL SELECT 'ROUTINE ' || p.oid::regprocedure::text
       FROM pg_proc p JOIN pg_namespace n ON n.oid = pronamespace WHERE ${ours}
     UNION ALL SELECT 'TYPE ' || t.oid::regtype::text
       FROM pg_type t JOIN pg_namespace n ON n.oid = typnamespace WHERE typtype IN ('e', 'd') AND ${ours}`,
  )
  return rows.map(({ what }) => what)
}

/**
 * Drops everything that can be dropped.
 * @throws NotCleared that names the remaining objects, and the session that holds a lock
 */
async function clear(client: Client, watcher: Client, name: string): Promise<void> {
  const left: string[] = []
  let why = ''
  const unless = (what: string) => (error: Error) => {
    left.push(what)
    why ||= error.message
  }
  const found = await objects(client).catch(unless('the objects of the run'))
  for (const what of found ?? [])
    await dropUnlessLocked(
      client,
      watcher,
      `DROP ${what.replace(/^(MATERIALIZED |FOREIGN )?\w+/, '$& IF EXISTS')} CASCADE`,
    ).catch(unless(what))
  if (left.length === 0) return
  const more = left.length === 1 ? '' : ` and ${left.length - 1} more`
  throw new NotCleared(name, `the database could not be emptied (${left[0]}${more}: ${why}); drop the rest yourself`)
}

function machineOf(to: NamedDatabase, cleared: () => Promise<void>): PostgresMachine {
  const { host, port, ...login } = to
  const notOurs = (what: string) => (): never => {
    throw new Error(`a server that the user gives does not support ${what}`)
  }
  return {
    ...{ host, port, login, operator: login, makes: false },
    isAlive: () => listens(to),
    kill: notOurs('end'),
    start: notOurs('start'),
    freeze: notOurs('stop'),
    close: cleared,
  }
}
