/** A failover of the simulated PostgreSQL keeps and loses what one of two real servers does. */
import { Client } from 'pg'
import { type PostgresServer, startPostgres } from 'test-servers'
import { afterEach, expect, it } from 'vitest'
import { needs, pathOf } from '../../../test/needs/needs.ts'
import { Lab } from './lab.ts'

type Standby = 'synchronous' | 'asynchronous'
type Answer = string | number | null

/** A table with two rows that the standby has; then what one session asks while nothing reaches the standby; then what is left. */
interface Story {
  readonly asked: readonly string[]
  /** What it is told: the number of rows, or null where it waits. */
  readonly answers: readonly Answer[]
  readonly left: string
  /** The next number of the table's sequence. */
  readonly next: string
}

const schema = ['CREATE TABLE t (id serial PRIMARY KEY, k text)', "INSERT INTO t (k) VALUES ('a'), ('b')"]
const look = 'SELECT k FROM t ORDER BY id'
/** Of the log that a server writes: what tells a client that another one has taken over. */
const timeline = "SELECT left(pg_walfile_name('0/1'), 8) AS of"
const insert = "INSERT INTO t (k) VALUES ('late')"

const stories: Readonly<Record<string, readonly [Standby, Story]>> = {
  'an asynchronous standby that is behind': [
    'asynchronous',
    { asked: [insert], answers: [1], left: 'a, b', next: '34' },
  ],
  'a synchronous standby, for which a commit waits': [
    'synchronous',
    { asked: ['SET synchronous_commit = local', insert], answers: [null, 1], left: 'a, b', next: '34' },
  ],
}

needs({ postgres: '15' }).describe('a standby takes over', () => {
  const running: PostgresServer[] = []
  afterEach(async () => {
    for (const server of running.splice(0)) await server.stop()
  })
  const start = async (...given: Parameters<typeof startPostgres>) => {
    const server = await startPostgres(...given)
    running.push(server)
    return server
  }

  const connected = async ({ port }: PostgresServer) => {
    const client = new Client({ host: '127.0.0.1', port, user: 'postgres', database: 'postgres' })
    client.on('error', () => {})
    await client.connect()
    return client
  }

  it.each(Object.entries(stories))('%s', async (_, [standby, { asked, answers, left, next }]) => {
    const names = standby === 'synchronous' ? ['synchronous_standby_names=*'] : []
    const primary = await start(pathOf('postgres'), [...names, 'synchronous_commit=local'])
    const second = await start(pathOf('postgres'), ['hot_standby=on'], primary)
    const [client, monitor] = [await connected(primary), await connected(primary)]
    for (const sql of schema) await client.query(sql)
    const sender = 'SELECT pid, replay_lsn >= pg_current_wal_flush_lsn() AS has_all FROM pg_stat_replication'
    let pid = 0
    while (pid === 0) {
      const row = (await monitor.query(sender)).rows[0]
      if (row?.has_all === true) pid = row.pid
    }
    await client.query('SET synchronous_commit = on')
    process.kill(pid, 'SIGSTOP')
    try {
      expect(await Promise.all(asked.map(async (sql) => (await client.query(sql)).rowCount))).toEqual(answers)
      if (standby === 'synchronous') {
        const waiting = monitor.query("SET synchronous_commit = on; INSERT INTO t (k) VALUES ('unanswered')").then(
          () => 'answered',
          () => 'failed',
        )
        const third = await connected(primary)
        const waits = "SELECT count(*)::int AS n FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
        while ((await third.query(waits)).rows[0].n === 0);
        await primary.kill()
        expect(await waiting).toBe('failed')
      } else await primary.kill()
    } finally {
      process.kill(pid, 'SIGKILL')
    }
    const promoted = await connected(second)
    await promoted.query('SELECT pg_promote()')
    expect((await promoted.query(timeline)).rows).toEqual([{ of: '00000002' }])
    expect((await promoted.query(look)).rows.map(({ k }) => k).join(', ')).toBe(left)
    expect((await promoted.query("SELECT nextval('t_id_seq')")).rows[0].nextval).toBe(next)
    await promoted.end()
  })

  it.each(Object.entries(stories))('the same, simulated: %s', (_, [standby, { asked, left, next }]) => {
    const lab = new Lab({ standby })
    lab.all('one', ...schema)
    lab.pass(1_000_000)
    lab.all('one', ...asked)
    expect(lab.ask('one', timeline)).toBe('SELECT 1: 00000001')
    lab.database.failOver()
    expect(lab.ask('after', timeline)).toBe('SELECT 1: 00000002')
    expect(lab.ask('after', look)).toBe(`SELECT 2: ${left}`)
    expect(lab.ask('after', "SELECT nextval('t_id_seq')")).toBe(`SELECT 1: ${next}`)
  })
})
