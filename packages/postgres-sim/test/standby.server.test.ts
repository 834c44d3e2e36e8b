/**
 * A failover of the simulated PostgreSQL keeps and loses the same data as a failover between two
 * real servers.
 */
import { Client } from 'pg'
import { type PostgresServer, startPostgres } from 'test-servers'
import { afterEach, expect, it } from 'vitest'
import { needs, pathOf } from '../../../test/needs/needs.ts'
import { Lab } from './lab.ts'

type Standby = 'synchronous' | 'asynchronous'
type Answer = string | number | null

/**
 * A table with two rows that the standby has, the statements of a session while the standby is cut
 * off, and the data after the failover.
 */
interface Story {
  readonly asked: readonly string[]
  /** The number of rows of each statement, or null if it waits. */
  readonly answers: readonly Answer[]
  readonly left: string
  /** The next value of the table's sequence. */
  readonly next: string
}

const schema = ['CREATE TABLE t (id serial PRIMARY KEY, k text)', "INSERT INTO t (k) VALUES ('a'), ('b')"]
const look = 'SELECT k FROM t ORDER BY id'
/** Queries the timeline of the WAL, which shows a client that a failover has happened. */
const timeline = "SELECT left(pg_walfile_name('0/1'), 8) AS of"
const insert = "INSERT INTO t (k) VALUES ('late')"

const stories: Readonly<Record<string, readonly [Standby, Story]>> = {
  'an asynchronous standby that lags': ['asynchronous', { asked: [insert], answers: [1], left: 'a, b', next: '34' }],
  'a synchronous standby for which a commit waits': [
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

  it.each(Object.entries(stories))(
    'on real servers, with only the data that it has received: %s',
    async (_, [standby, { asked, answers, left, next }]) => {
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
    },
  )

  /**
   * For each way in which the wait of a commit ends: the number of rows that other sessions see
   * before and after the end, and further observations.
   */
  const waits = {
    'is cancelled': { before: '0', after: '1', locked: true, warned: '01000' },
    'ends as the server dies': { before: '0', after: '1', locked: true, warned: null },
  }
  const mine = "SELECT count(*)::int AS n FROM t WHERE k = 'mine'"
  const lockAll = 'SELECT k FROM t FOR UPDATE NOWAIT'
  const change = "UPDATE t SET k = 'mine' WHERE k = 'a'"

  it.each(Object.entries(waits))(
    'on real servers, other sessions see a commit only after its wait %s',
    async (how, { before, after, locked, warned }) => {
      const settings = ['synchronous_standby_names=nobody', 'synchronous_commit=local']
      const server = await start(pathOf('postgres'), settings)
      const [setup, one, two] = [await connected(server), await connected(server), await connected(server)]
      for (const sql of schema) await setup.query(sql)
      await one.query('SET synchronous_commit = on')
      const notices: (string | undefined)[] = []
      one.on('notice', ({ code }) => notices.push(code))
      const { pid } = (await one.query('SELECT pg_backend_pid() AS pid')).rows[0]
      const written = one.query(change).then(
        ({ rowCount }) => rowCount,
        () => 'failed',
      )
      const waiting = "SELECT count(*)::int AS n FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
      while ((await setup.query(waiting)).rows[0].n === 0);
      expect(String((await two.query(mine)).rows[0].n)).toBe(before)
      const lock = await two.query(lockAll).then(
        () => null,
        ({ code }) => code,
      )
      expect(lock === '55P03').toBe(locked)
      if (how === 'is cancelled') {
        await setup.query('SELECT pg_cancel_backend($1)', [pid])
        expect(await written).toBe(1)
        expect(notices[0] ?? null).toBe(warned)
        expect(String((await two.query(mine)).rows[0].n)).toBe(after)
      } else {
        // PostgreSQL restarts and recovers from its WAL after a session process was killed.
        process.kill(pid, 'SIGKILL')
        expect(await written).toBe('failed')
        expect(notices[0] ?? null).toBe(warned)
        expect(String((await again(server, mine)).n)).toBe(after)
      }
    },
  )

  const again = async (server: PostgresServer, sql: string) => {
    for (;;) {
      try {
        return (await (await connected(server)).query(sql)).rows[0]
      } catch (error) {
        const { code } = error as { code?: string }
        if (!['57P03', '57P02', 'ECONNREFUSED', 'ECONNRESET'].includes(code ?? '')) throw error
      }
    }
  }

  it.each(Object.entries(waits))(
    'in the simulation, other sessions see a commit only after its wait %s',
    (how, { before, after, warned }) => {
      const lab = new Lab({ standby: 'synchronous', standbyLagMs: 1000 })
      lab.all('one', 'SET synchronous_commit = local', ...schema, 'SET synchronous_commit = on')
      lab.pass(1_000_000)
      const notices: string[] = []
      lab.session('one').client = { noticed: ({ code }) => notices.push(code) }
      expect(lab.ask('one', change)).toBe('waits')
      expect(lab.ask('two', mine)).toBe(`SELECT 1: ${before}`)
      expect(lab.ask('two', lockAll)).toMatch(/^55P03/)
      if (how === 'is cancelled') {
        lab.session('one').cancel()
        expect(lab.later('one')).toBe('UPDATE 1')
      } else {
        lab.database.crash()
        lab.forget('two')
        lab.database.restarted()
      }
      expect(notices[0] ?? null).toBe(warned)
      expect(lab.ask('two', mine)).toBe(`SELECT 1: ${after}`)
    },
  )

  it.each(Object.entries(stories))(
    'in the simulation, with only the data that it has received: %s',
    (_, [standby, { asked, left, next }]) => {
      const lab = new Lab({ standby })
      lab.all('one', ...schema)
      lab.pass(1_000_000)
      lab.all('one', ...asked)
      expect(lab.ask('one', timeline)).toBe('SELECT 1: 00000001')
      lab.database.failOver()
      expect(lab.ask('after', timeline)).toBe('SELECT 1: 00000002')
      expect(lab.ask('after', look)).toBe(`SELECT 2: ${left}`)
      expect(lab.ask('after', "SELECT nextval('t_id_seq')")).toBe(`SELECT 1: ${next}`)
    },
  )
})
