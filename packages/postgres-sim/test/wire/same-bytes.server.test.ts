/**
 * The simulated PostgreSQL sends the same messages as a real PostgreSQL, except for process ids,
 * keys and table oids.
 */
import { expect, it } from 'vitest'
import * as say from '../frontend-bytes.ts'
import { messageClient } from '../message-client.ts'
import { describeBothServers } from './both-servers.ts'
import { reported, type Turns } from './turns.ts'

const table = say.query('CREATE TABLE t (id int PRIMARY KEY, name text NOT NULL, at timestamptz, body jsonb)')
const drop = say.query('DROP TABLE IF EXISTS t')
const int4 = (value: number) => String.fromCharCode(0, 0, (value >> 8) & 255, value & 255)

const sessions: Readonly<Record<string, Turns>> = {
  'a text without a statement': [say.query(''), say.query(' ; ; '), say.ask('')],
  'values of several types': [
    say.query("SELECT 1, 'a', true, NULL, 1.50, 2147483648, '{\"a\": 1}'::jsonb, 'x'::text AS named"),
    say.query("SELECT '2026-01-02 03:04:05.678+00'::timestamptz, '00000000-0000-0000-0000-00000000000a'::uuid"),
  ],
  'several statements in one text': [
    drop,
    table,
    say.query(
      "INSERT INTO t VALUES (1, 'a'), (2, 'b'); SELECT id, name FROM t ORDER BY id; UPDATE t SET name = 'c' WHERE id = 2",
    ),
    say.query("INSERT INTO t VALUES (3, 'c'); INSERT INTO t VALUES (1, 'again'); SELECT 1"),
    say.query('SELECT count(*) FROM t'),
  ],
  'errors and the objects that they name': [
    drop,
    table,
    say.query('SELECT * FROM missing'),
    say.query('SELEC 1'),
    say.query("INSERT INTO t VALUES (1, 'a')"),
    say.query("INSERT INTO t VALUES (1, 'b')"),
    say.query('INSERT INTO t (id) VALUES (2)'),
    say.query("SELECT 'x'::int"),
    say.query('SELECT 1/0'),
  ],
  'transaction blocks, committed and rolled back': [
    drop,
    table,
    say.query('BEGIN'),
    say.query("INSERT INTO t VALUES (1, 'a')"),
    say.query('COMMIT'),
    say.query('BEGIN'),
    say.query('SELECT 1/0'),
    say.query('SELECT 1'),
    say.query('COMMIT'),
    say.query('ROLLBACK'),
    say.query('BEGIN'),
    say.query('BEGIN'),
    say.query('ROLLBACK'),
    say.query('COMMIT'),
  ],
  'notices about objects that already exist or do not exist': [
    drop,
    drop,
    table,
    say.query('CREATE TABLE IF NOT EXISTS t (id int)'),
  ],
  'ON CONFLICT and RETURNING': [
    drop,
    table,
    say.ask('INSERT INTO t (id, name) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING RETURNING id', ['1', 'a']),
    say.ask('INSERT INTO t (id, name) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING RETURNING id', ['1', 'a']),
    say.ask('SELECT * FROM t WHERE id = $1 FOR UPDATE SKIP LOCKED', ['1']),
    say.ask('DELETE FROM t WHERE id = $1', ['1']),
  ],
  'parameters and results in binary format': [
    say.ask('SELECT $1::int4 + 1, $2::text', [int4(41), 'a'], { formats: [1, 0], results: [1] }),
    say.ask('SELECT $1::int8, $2::bool, $3::uuid', ['7', 't', '00000000-0000-0000-0000-00000000000a'], {
      results: [1, 1, 1],
    }),
    say.ask("SELECT '2026-01-02 03:04:05.678+00'::timestamptz, '2026-01-02'::date, '\\x0102'::bytea", [], {
      results: [1],
    }),
    say.ask("SELECT 'infinity'::timestamptz, '-infinity'::timestamp, 'infinity'::date, '-infinity'::date", [], {
      results: [1],
    }),
    say.ask("SELECT B'101', X'1ff'::varbit, B''", [], { results: [1] }),
    say.ask('SELECT $1::bit(3), $2::varbit', ['\0\0\0\x03\xa0', '\0\0\0\x09\x80\x80'], { formats: [1] }),
    say.ask('SELECT $1::date, $2::timestamptz', ['\x7f\xff\xff\xff', '\x80\0\0\0\0\0\0\0'], { formats: [1] }),
    say.ask('SELECT $1::int4', ['sho'], { formats: [1] }),
    say.ask('SELECT $1::int8', ['too long, by far'], { formats: [1] }),
    say.ask('SELECT $1::text, $2::int4', ['a', 'b']),
  ],
  'named statements': [
    say.parse('SELECT $1::int', 'one') + say.describe('S', 'one') + say.sync,
    say.bind(['1'], { statement: 'one' }) +
      say.execute() +
      say.bind(['2'], { statement: 'one' }) +
      say.execute() +
      say.sync,
    say.parse('SELECT 2', 'one') + say.sync,
    say.close('S', 'one') + say.sync,
    say.bind(['1'], { statement: 'one' }) + say.sync,
  ],
  'messages after an error are ignored up to Sync': [
    say.parse('SELEC 1') + say.bind() + say.execute() + say.sync,
    say.bind([], { statement: 'none' }) + say.execute() + say.parse('SELECT 1') + say.sync,
    say.execute(0, 'none') + say.sync,
    say.parse('SELECT $1::int') + say.bind([]) + say.execute() + say.sync,
    say.parse('SELECT 1; SELECT 2') + say.sync,
    say.query('SELECT 1'),
  ],
  'a protocol error makes the transaction block fail': [
    say.query('BEGIN'),
    say.bind([], { statement: 'none' }) + say.sync,
    say.query('SELECT 1'),
    say.query('ROLLBACK'),
  ],
  'the messages up to Sync are one transaction': [
    drop,
    table,
    say.parse("INSERT INTO t VALUES (1, 'a')") +
      say.bind() +
      say.execute() +
      say.parse("INSERT INTO t VALUES (1, 'b')") +
      say.bind() +
      say.execute() +
      say.sync,
    say.query('SELECT count(*) FROM t'),
  ],
  'the rows of a portal, a few at a time': [
    drop,
    table,
    say.query("INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, 'c')"),
    say.parse('SELECT id FROM t ORDER BY id') +
      say.bind([], { portal: 'p' }) +
      say.execute(2, 'p') +
      say.execute(2, 'p') +
      say.close('P', 'p') +
      say.sync,
  ],
  'settings that are reported to clients': [
    say.query("SET application_name TO 'me'"),
    say.query("SET statement_timeout TO '5s'"),
    say.query('SHOW statement_timeout'),
    say.query('RESET application_name'),
  ],
  'a notification of a session to itself': [
    say.query('LISTEN c'),
    say.query("NOTIFY c, 'hello'"),
    say.query("BEGIN; NOTIFY c, 'x'; COMMIT"),
  ],
}

describeBothServers((servers) => {
  it.each(Object.keys(sessions))('send the same messages: %s', async (name) => {
    const { real, simulated } = servers()
    const turns = sessions[name]!
    expect(await reported(simulated.port, turns)).toEqual(await reported(real.port, turns))
    expect(simulated.unsupported).toEqual([])
  })

  it('answer a startup that names an application in the same way', async () => {
    const { real, simulated } = servers()
    const heard = async (port: number) => {
      const client = await messageClient(port)
      return client.turn(say.startup({ user: 'postgres', database: 'postgres', application_name: 'me' }))
    }
    expect(await heard(simulated.port)).toEqual(await heard(real.port))
  })
})
