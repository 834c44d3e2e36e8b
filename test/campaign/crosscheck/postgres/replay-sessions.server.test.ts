import { type Database, loadSqlParser } from 'postgres-sim'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { replaySessions } from '../../../../src/campaign/crosscheck/postgres/replay-sessions.ts'
import type { RealPostgres } from '../../../../src/campaign/types.ts'
import { findRealPostgres } from '../../../../src/cli/real-postgres.ts'
import { needs } from '../../../needs/needs.ts'
import { extended, RecordedSessions } from './recorded-sessions.ts'
import { rewriting } from './rewriting.ts'

const offer = findRealPostgres()
const table = 'CREATE TABLE t (id int PRIMARY KEY, state text, at timestamptz DEFAULT CURRENT_TIMESTAMP)'

let real: RealPostgres

/** Replays the recorded sessions on a real server. */
async function asked(
  play: (server: RecordedSessions) => void,
  order: readonly number[] = [],
  sabotage?: (database: Database) => void,
  version = real.version,
) {
  const server = new RecordedSessions(order, sabotage)
  play(server)
  const { compared, byRule, leftOut, difference } = await replaySessions(server.events, { ...real, version })
  return { compared, byRule, leftOut: Object.fromEntries(leftOut), difference }
}

const agreesOn = (compared: number) => ({ compared, byRule: 0, leftOut: {}, difference: null })

needs({ postgres: '15' }).describe('a replay of sessions on a real PostgreSQL', () => {
  beforeAll(async () => {
    await loadSqlParser()
    if (offer.kind === 'ready') real = await offer.start()
  }, 60_000)
  afterAll(() => real?.stop())

  it('agrees on rows, tags, error positions and failed transactions', async () => {
    const found = await asked((server) => {
      const one = server.client()
      one.query(table)
      one.extended('INSERT INTO t (id, state) VALUES ($1, $2) RETURNING id, state, at', '1', 'café')
      one.extended('INSERT INTO t (id) VALUES (1)')
      one.extended('SELECT id, at FROM t WHERE at <= CURRENT_TIMESTAMP AND nothing = 1')
      one.query('BEGIN; SELECT 1; SELECT 1 / 0; SELECT 2')
      one.query('SELECT 3')
      one.query('ROLLBACK')
      one.query('SELEC 4')
    })
    expect(found).toEqual(agreesOn(8))
  })

  const typed = (server: RecordedSessions) => {
    const one = server.client()
    one.query('CREATE SCHEMA q')
    one.query("CREATE TYPE q.other AS ENUM ('a', 'b')")
    one.query("CREATE TYPE q.state AS ENUM ('a', 'b')")
    one.query('CREATE TABLE q.job (id int PRIMARY KEY, state q.state)')
    one.extended('INSERT INTO q.job VALUES ($1, $2) RETURNING state', '1', 'b')
    one.query('SELECT state FROM q.job')
  }

  it('agrees on columns of user-defined types with different OIDs', async () => {
    expect(await asked(typed)).toEqual(agreesOn(6))
    const found = await asked(typed, [], rewriting(/state q\.state/, 'state q.other'))
    expect(found.difference).toMatchObject({
      model: expect.stringContaining('q.other'),
      real: expect.stringContaining('q.state'),
    })
  })

  it('skips columns of a type that their own transaction created', async () => {
    const found = await asked((server) => {
      const one = server.client()
      one.query('BEGIN')
      one.query("CREATE TYPE state AS ENUM ('a', 'b')")
      one.query("SELECT 'a'::state")
      one.query('COMMIT')
      one.query("SELECT 'a'::state")
    })
    expect(found.difference).toBeNull()
    expect(found.leftOut).toMatchObject({ 'a type of an uncommitted transaction': expect.any(Number) })
  })

  it('replaces the clock of statements, transactions and keywords with the clock of the run', async () => {
    const found = await asked((server) => {
      const one = server.client()
      one.query(table)
      one.query("BEGIN; INSERT INTO t VALUES (1, 'a', now() + interval '1 minute')")
      server.advance(30_000)
      one.query(
        'SELECT now(), statement_timestamp(), clock_timestamp(), CURRENT_TIMESTAMP, LOCALTIMESTAMP, CURRENT_DATE',
      )
      one.query('COMMIT')
      one.extended('SELECT id, at - now() FROM t WHERE at > now()')
      server.advance(40_000)
      one.extended('SELECT id, CURRENT_TIMESTAMP FROM t WHERE at < CURRENT_TIMESTAMP')
      one.query("INSERT INTO t VALUES (2, 'b') RETURNING at")
    })
    expect(found).toEqual(agreesOn(7))
  })

  it.each(['15.18', '15.20'])(
    'on PostgreSQL %s, compares ON CONFLICT unless the transaction is serializable and the server is older than 15.20',
    async (version) => {
      const played = (begin: string) =>
        asked(
          (server) => {
            const one = server.client()
            one.query(table)
            one.query(begin)
            one.extended('INSERT INTO t (id) VALUES ($1) ON CONFLICT DO NOTHING', '1')
            one.query('COMMIT')
          },
          [],
          undefined,
          version,
        )
      expect(await played('BEGIN ISOLATION LEVEL REPEATABLE READ')).toEqual(agreesOn(4))
      const leftOut = { 'ON CONFLICT under SERIALIZABLE, which follows PostgreSQL 15.20': 2 }
      const serializable = version === '15.20' ? agreesOn(4) : { ...agreesOn(2), leftOut }
      expect(await played('BEGIN ISOLATION LEVEL SERIALIZABLE')).toEqual(serializable)
    },
  )

  it('compares who waits for whom, and each answer after the wait', async () => {
    const found = await asked((server) => {
      const [one, two, three] = [server.client(), server.client(), server.client()]
      one.query(table)
      one.query("INSERT INTO t (id, state) VALUES (1, 'a'), (2, 'b')")
      one.query('BEGIN')
      one.query("UPDATE t SET state = 'c' WHERE id = 1")
      two.extended("UPDATE t SET state = state || 'd' WHERE id = 1 RETURNING state")
      three.extended("UPDATE t SET state = state || 'e' WHERE id = 1 RETURNING state")
      one.query('SELECT id FROM t WHERE id = 2 FOR UPDATE SKIP LOCKED')
      one.query('COMMIT')
      two.query('SELECT state FROM t ORDER BY id')
    })
    expect(found).toEqual(agreesOn(9))
  })

  it('agrees on the queue for a row that was locked first and updated later', async () => {
    const played = [
      { comesFirst: true, order: [] },
      ...[[], [1], [0, 1], [1, 1]].map((order) => ({ comesFirst: false, order })),
    ]
    for (const { comesFirst, order } of played) {
      const found = await asked((server) => {
        const [one, two, three, four, five] = Array.from({ length: 5 }, () => server.client())
        const lock = 'BEGIN; SELECT state FROM t WHERE id = 1 FOR UPDATE'
        const update = () => one!.query("UPDATE t SET state = 'b' WHERE id = 1")
        one!.query(table)
        one!.query("INSERT INTO t (id, state) VALUES (1, 'a')")
        one!.query(lock)
        if (!comesFirst) update()
        for (const client of [two, three, four]) {
          client!.query('BEGIN')
          client!.extended('SELECT state FROM t WHERE id = 1 FOR UPDATE')
        }
        if (comesFirst) update()
        one!.query('COMMIT')
        five!.extended('SELECT state FROM t WHERE id = 1 FOR UPDATE')
        for (const client of [two, three, four]) client!.query('COMMIT')
      }, order)
      expect(found).toEqual(agreesOn(15))
    }
  })

  it('does not compare sessions that resumed alternately in the run if the real sessions got other answers', async () => {
    const inOrder = (order: readonly number[]) =>
      asked((server) => {
        const [one, two, three] = [server.client(), server.client(), server.client()]
        one.query(table)
        one.query("INSERT INTO t (id, state) VALUES (1, 'a')")
        one.query('BEGIN; SELECT state FROM t WHERE id = 1 FOR UPDATE')
        for (const client of [two, three]) {
          client.query('BEGIN')
          client.extended('SELECT state FROM t WHERE id = 1 FOR UPDATE')
        }
        one.query("UPDATE t SET state = 'b' WHERE id = 1")
        one.query('COMMIT')
        one.query('SELECT state FROM t')
      }, order)
    // The second session stops between the old row version and the new one. The third session
    // overtakes it there, or comes too late.
    expect(await inOrder([1])).toEqual({ ...agreesOn(8), leftOut: { 'sessions that resume alternately': 2 } })
    expect(await inOrder([0, 1, 1])).toEqual(agreesOn(10))
  })

  it('does not compare sessions that resumed alternately, even after all waits have ended', async () => {
    const append = "UPDATE t SET state = state || 'c' WHERE id = 1 RETURNING state"
    const found = await asked(
      (server) => {
        const [one, two, three] = [server.client(), server.client(), server.client()]
        one.query(table)
        one.query("INSERT INTO t (id, state) VALUES (1, 'a')")
        one.query('BEGIN; SELECT state FROM t WHERE id = 1 FOR UPDATE')
        two.query(append)
        three.query(append)
        one.query("UPDATE t SET state = 'b' WHERE id = 1")
        one.query('COMMIT')
        one.query('SELECT 5')
      },
      [1],
    )
    expect(found).toMatchObject({
      difference: null,
      leftOut: { 'sessions that resume alternately': expect.any(Number) },
    })
  })

  it('agrees on who waits for an updated row that another transaction still locks', async () => {
    const found = await asked((server) => {
      const [one, two, three, four] = Array.from({ length: 4 }, () => server.client())
      const take = (client: typeof one, how: string) => {
        client!.query('BEGIN')
        client!.extended(`SELECT state FROM t WHERE id = 1 FOR ${how}`)
      }
      one!.query(table)
      one!.query("INSERT INTO t (id, state) VALUES (1, 'a')")
      one!.query("BEGIN; UPDATE t SET state = 'b' WHERE id = 1")
      four!.query('BEGIN')
      four!.extended("UPDATE t SET state = 'd' WHERE id = 1")
      take(two, 'KEY SHARE')
      take(three, 'UPDATE')
      for (const client of [one, two, three, four]) client!.query('COMMIT')
    })
    expect(found).toEqual(agreesOn(13))
  })

  it('gives a statement that waited for a session the time at which the session ended', async () => {
    const found = await asked((server) => {
      const [one, two] = [server.client(), server.client()]
      one.query(table)
      one.query('BEGIN; INSERT INTO t (id) VALUES (1)')
      two.query('INSERT INTO t (id) VALUES (1) RETURNING clock_timestamp()')
      server.advance(30_000)
      one.close()
      two.query('SELECT clock_timestamp()')
    })
    expect(found).toEqual(agreesOn(4))
  })

  it('continues sessions that wake together in the order of the run', async () => {
    for (const order of [[0], [1]]) {
      const found = await asked((server) => {
        const [one, two, three] = [server.client(), server.client(), server.client()]
        one.query(table)
        one.query('BEGIN; INSERT INTO t (id) VALUES (1)')
        two.extended("INSERT INTO t (id, state) VALUES (1, 'two') ON CONFLICT DO NOTHING RETURNING state")
        three.extended("INSERT INTO t (id, state) VALUES (1, 'three') ON CONFLICT DO NOTHING RETURNING state")
        one.query('ROLLBACK')
        one.query('SELECT state FROM t')
      }, order)
      expect(found).toEqual(agreesOn(6))
    }
  })

  it('agrees on the victim of a deadlock, whether it waited first or last', async () => {
    for (const pauseMs of [500, 1500]) {
      const found = await asked((server) => {
        const [one, two] = [server.client(), server.client()]
        one.query(table)
        one.query('INSERT INTO t (id) VALUES (1), (2)')
        one.query('BEGIN; SELECT id FROM t WHERE id = 1 FOR UPDATE')
        two.query('BEGIN; SELECT id FROM t WHERE id = 2 FOR UPDATE')
        one.extended('SELECT id FROM t WHERE id = 2 FOR UPDATE')
        server.advance(pauseMs)
        two.extended('SELECT id FROM t WHERE id = 1 FOR UPDATE')
        server.advance(3000)
        one.query('ROLLBACK')
        two.query('ROLLBACK')
      })
      expect(found).toEqual(agreesOn(8))
    }
  })

  it('ends sessions as in the run, with open transactions and with unexecuted messages', async () => {
    const found = await asked((server) => {
      const [one, two, three, four] = [server.client(), server.client(), server.client(), server.client()]
      one.query(table)
      one.query('BEGIN; INSERT INTO t (id) VALUES (1)')
      two.extended('INSERT INTO t (id) VALUES (1)')
      one.close()
      three.loseNext()
      three.query('DELETE FROM t')
      // The statement is executed although the client is gone: the server notices when it answers.
      four.closeAfter(...extended('INSERT INTO t (id) VALUES ($1)', '2'))
      two.query('SELECT id FROM t ORDER BY id')
    })
    expect(found).toEqual(agreesOn(5))
  })

  it('stops with a reason once a real server may answer differently', async () => {
    const after = async (sql: string) =>
      (
        await asked((server) => {
          const one = server.client()
          one.query('SELECT 1')
          one.query(sql)
          one.query('SELECT 2')
        })
      ).leftOut
    expect(await after('SELECT pg_backend_pid()')).toEqual({ 'process and transaction ids': 2 })
    expect(await after('SELECT gen_random_uuid()')).toEqual({ chance: 2 })
    expect(await after("SELECT 'now'::timestamptz")).toEqual({ 'functions of the clock of PostgreSQL': 2 })
    expect(await after('SELECT CURRENT_TIMESTAMP(3)')).toEqual({ 'the clock of CURRENT_TIMESTAMP(n)': 2 })
    expect(await after('SELECT version()')).toEqual({ 'server introspection': 1 })
  })

  it('skips a statement that a timeout ended, and all that follow', async () => {
    const found = await asked((server) => {
      const [one, two] = [server.client(), server.client()]
      one.query(table)
      one.query('BEGIN; INSERT INTO t (id) VALUES (1)')
      two.query("SET lock_timeout = '2s'")
      two.extended('INSERT INTO t (id) VALUES (1)')
      server.advance(5000)
      one.query('COMMIT')
    })
    expect(found).toEqual({ ...agreesOn(4), leftOut: { 'time limits of statements and sessions': 1 } })
  })

  it('does not compare a statement that waited for a session which the real server ended because it was idle', async () => {
    const found = await asked(
      (server) => {
        const [one, two] = [server.client(), server.client()]
        one.query(table)
        one.query("BEGIN; SET LOCAL idle_in_transaction_session_timeout = '1ms'; INSERT INTO t (id) VALUES (1)")
        two.query('SELECT 1 FROM (SELECT count(*) FROM generate_series(1, 1000000)) AS takes_long')
        two.extended('INSERT INTO t (id) VALUES (1)')
      },
      [],
      (model) => {
        rewriting(/'1ms'/, "'1h'")(model)
        rewriting(/ FROM .* takes_long/, '')(model)
      },
    )
    expect(found).toMatchObject({ difference: null, leftOut: { 'time limits of statements and sessions': 1 } })
  })

  it('reports the statement and both answers if SKIP LOCKED is ignored', async () => {
    const { difference } = await asked(
      (server) => {
        const [one, two] = [server.client(), server.client()]
        one.query(table)
        one.query('INSERT INTO t (id) VALUES (1)')
        one.query('BEGIN; SELECT id FROM t FOR UPDATE')
        two.extended('SELECT id FROM t WHERE id = $1 FOR UPDATE SKIP LOCKED', '1')
      },
      [],
      rewriting(/ SKIP LOCKED/, ''),
    )
    expect(difference).toEqual({
      command: 'SELECT id FROM t WHERE id = $1 FOR UPDATE SKIP LOCKED with ["1"]',
      real: 'SELECT 0',
      model: 'waits for session 0',
    })
  })

  it('reports both answers if ON CONFLICT returns a row that it should skip', async () => {
    const { difference } = await asked(
      (server) => {
        const one = server.client()
        one.query(table)
        one.query('INSERT INTO t (id) VALUES (1)')
        one.query('INSERT INTO t (id) VALUES (1) ON CONFLICT (id) DO NOTHING RETURNING id')
      },
      [],
      rewriting(/DO NOTHING/, 'DO UPDATE SET id = 1'),
    )
    expect(difference).toMatchObject({ real: 'INSERT 0 0', model: '("1") INSERT 0 1' })
  })

  it('finds a row that comes too early, a lock without a wait, and a wrong clock', async () => {
    const early = await asked(
      (server) => {
        const [one, two] = [server.client(), server.client()]
        one.query(table)
        one.query('BEGIN; SELECT pg_advisory_xact_lock(1) AS mine')
        two.query('SELECT pg_advisory_xact_lock(1) AS mine')
      },
      [],
      rewriting(/lock\(1\)/, 'lock_shared(1)'),
    )
    expect(early.difference).toMatchObject({ real: 'waits for session 0', model: '("") SELECT 1' })
    const late = await asked(
      (server) => {
        const one = server.client()
        one.query('BEGIN')
        server.advance(1000)
        one.query('SELECT now() < statement_timestamp() AS earlier')
      },
      [],
      rewriting(/now\(\)/, 'statement_timestamp()'),
    )
    const column = await asked((server) => server.client().query('SELECT 1 AS a'), [], rewriting(/AS a/, 'AS b'))
    expect(column.difference).toMatchObject({ real: expect.stringContaining('columns (a ') })
    expect(late.difference).toMatchObject({ real: '("t") SELECT 1', model: '("f") SELECT 1' })
  })
})
