/** The user’s database is emptied after a run, or its leftovers are reported. */
import { Client } from 'pg'
import { type PostgresServer, startPostgres } from 'test-servers'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { NotCleared } from '../../../src/live/environment/not-cleared.ts'
import { usualSettings } from '../../../src/live/postgres/postgres-machine.ts'
import { openNamedPostgres } from '../../../src/live/servers/named-postgres.ts'
import { needs, pathOf } from '../../needs/needs.ts'

needs({ postgres: '15' }).describe('a named database', () => {
  let server: PostgresServer
  let owner: Client
  const urlOf = (user: string) => `postgres://${user}:secret@127.0.0.1:${server.port}/named`

  beforeAll(async () => {
    server = await startPostgres(pathOf('postgres'), ['track_commit_timestamp=on'])
    const first = new Client(urlOf('postgres').replace(/named$/, 'postgres'))
    await first.connect()
    await first.query('CREATE DATABASE named')
    await first.query("CREATE ROLE app LOGIN PASSWORD 'secret'")
    await first.end()
    owner = new Client(urlOf('postgres'))
    await owner.connect()
    await owner.query('GRANT ALL ON SCHEMA public TO app')
  })
  afterAll(async () => {
    await owner?.end()
    await server?.stop()
  })

  const tables = async () => {
    const { rows } = await owner.query("SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace")
    return rows.map(({ relname }) => relname)
  }

  /** A run by the role `app` that creates a table, while others create the foreign tables. */
  async function cleared(foreign: readonly string[]): Promise<unknown> {
    const host = await openNamedPostgres(urlOf('app'))
    const machine = await host.start(usualSettings)
    const app = new Client(urlOf('app'))
    await app.connect()
    await app.query('CREATE TABLE own (id int)')
    await app.end()
    for (const name of foreign) await owner.query(`CREATE TABLE ${name} (id int)`)
    return machine.close().catch((error) => error)
  }

  it('is left empty if all tables belong to its role', async () => {
    expect(await cleared([])).toBeUndefined()
    expect(await tables()).toEqual([])
  })

  it.each([
    [['foreign_one'], 'TABLE public.foreign_one'],
    [['foreign_one', 'foreign_two'], 'TABLE public.foreign_one and 1 more'],
  ])('reports that %j belongs to another role, and drops the others', async (foreign, left) => {
    const problem = await cleared(foreign)
    expect(problem).toBeInstanceOf(NotCleared)
    expect((problem as NotCleared).message).toBe(
      `--with postgres://…@127.0.0.1:${server.port}/named: the database could not be emptied (${left}: must be owner of table foreign_one); drop the rest yourself`,
    )
    expect(await tables()).toEqual(foreign)
    for (const name of foreign) await owner.query(`DROP TABLE ${name}`)
  })

  it('reports the session that locks a table without waiting forever, and drops the others', async () => {
    const host = await openNamedPostgres(urlOf('app'))
    const machine = await host.start(usualSettings)
    const app = new Client({ connectionString: urlOf('app'), application_name: 'a console' })
    await app.connect()
    for (const name of ['held', 'free']) await app.query(`CREATE TABLE ${name} (id int)`)
    const { rows } = await app.query('SELECT pg_backend_pid() AS pid')
    await app.query('BEGIN')
    await app.query('SELECT FROM held')
    const problem: Error = await machine.close().catch((error) => error)
    expect(problem).toBeInstanceOf(NotCleared)
    expect(problem.message).toContain(
      `(TABLE public.held: session ${rows[0].pid} of app (a console, idle in transaction) has held a lock on it for more than 2000 ms)`,
    )
    expect(await tables()).toEqual(['held'])
    await app.query('COMMIT')
    await machine.close()
    expect(await tables()).toEqual([])
    await app.end()
  })

  it('waits for a session that ends its transaction soon', async () => {
    const host = await openNamedPostgres(urlOf('app'))
    const machine = await host.start(usualSettings)
    const app = new Client(urlOf('app'))
    await app.connect()
    await app.query('CREATE TABLE held (id int)')
    await app.query('BEGIN')
    await app.query('SELECT FROM held')
    const closing = machine.close()
    const waits = async () => {
      const found = await owner.query(
        "SELECT FROM pg_stat_activity WHERE query LIKE 'DROP TABLE%' AND wait_event_type = 'Lock'",
      )
      expect(found.rowCount).toBe(1)
    }
    await vi.waitFor(waits, { interval: 10 })
    await app.query('COMMIT')
    await closing
    expect(await tables()).toEqual([])
    await app.end()
  })
})
