/**
 * The PostgreSQL of `--with compose`, which docker-compose.yml starts, behind links of its
 * Toxiproxy. It is a test server: each run creates a role and a database there, and may change that
 * role.
 */
import type { Client } from 'pg'
import { LiveProblem } from '../environment/problem.ts'
import { openClient } from '../postgres/open-client.ts'
import type { PostgresHost, PostgresMachine } from '../postgres/postgres-machine.ts'
import { isUp, notUp } from './compose.ts'
import { listens } from './listens.ts'
import type { Power } from './live-server.ts'

/** The addresses are those of docker-compose.yml. */
const server = { host: '127.0.0.1', port: 22021 }
const operator = { user: 'postgres', password: '', database: 'postgres' }

/**
 * Opens the server.
 * @throws LiveProblem if it is not up
 */
export async function openComposePostgres(): Promise<PostgresHost> {
  await isUp('postgres')
  const version = await asOperator(async (client) => {
    const { rows } = await client.query<{ server_version: string }>('SHOW server_version')
    return rows[0]!.server_version.split(' ')[0]!
  }).catch(() => {
    throw notUp()
  })
  let runs = 0
  return {
    about: `PostgreSQL ${version}`,
    refuses,
    start: async () => machineOf(`onceproof_${process.pid}_${++runs}`),
    close: async () => {},
  }
}

function refuses(power: Power): string | null {
  if (power === 'clock') return 'a container has the clock of its machine'
  if (power === 'restart') return 'runs cannot restart a server of docker-compose.yml'
  if (power === 'freeze') return 'runs cannot stop a server of docker-compose.yml'
  return null
}

function machineOf(name: string): PostgresMachine {
  const notOurs = (what: string) => (): never => {
    throw new Error(`a server of docker-compose.yml does not support ${what}`)
  }
  return {
    ...{ ...server, operator, makes: true },
    login: { user: name, password: name, database: name },
    isAlive: () => listens(server),
    kill: notOurs('end'),
    start: notOurs('start'),
    freeze: notOurs('stop'),
    close: () => removed(name),
  }
}

/** Removes a database, and ends the sessions in it. */
async function removed(name: string): Promise<void> {
  try {
    await asOperator(async (client) => {
      await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
      await client.query(`DROP ROLE IF EXISTS ${name}`)
    })
  } catch (error) {
    throw new LiveProblem(
      '--with compose',
      `the database and the role ${name} may remain on its PostgreSQL; drop them when it is back (${(error as Error).message})`,
    )
  }
}

async function asOperator<T>(work: (client: Client) => Promise<T>): Promise<T> {
  const client = await openClient({ ...server, ...operator, connectionTimeoutMillis: 3_000 })
  return work(client).finally(() => client.end())
}
