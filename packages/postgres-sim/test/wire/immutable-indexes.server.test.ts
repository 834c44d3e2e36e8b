/** Functions and other expressions that an index or its predicate must not use. */
import { expect, it } from 'vitest'
import { query } from '../frontend-bytes.ts'
import { Lab } from '../lab.ts'
import { sameOnBothServers } from './turns.ts'

const table = [
  query('DROP TABLE IF EXISTS ix'),
  query(
    'CREATE TABLE ix (k text, n int, b bool, ts timestamp, tz timestamptz, d date, i interval, j jsonb, a text[], v varchar, u uuid)',
  ),
]
const where = (...predicates: readonly string[]) => [
  ...table,
  ...predicates.map((one) => query(`CREATE UNIQUE INDEX ON ix (k) WHERE ${one}`)),
]
const on = (...expressions: readonly string[]) => [
  ...table,
  // Predicates are used because they are checked like index expressions, and the simulated server
  // cannot print most expressions as index names.
  ...expressions.map((one) => query(`CREATE INDEX ON ix (k) WHERE (${one}) IS NOT NULL`)),
]

sameOnBothServers({
  'a predicate that uses the clock or randomness is refused': where(
    'now() > tz',
    'tz > CURRENT_TIMESTAMP',
    'd >= CURRENT_DATE',
    'n > 1 AND now() > tz',
    'clock_timestamp() > tz',
    'random() > n',
    'u = gen_random_uuid()',
    'k = current_user',
    "k = current_setting('application_name')",
    'tz > statement_timestamp()',
    "tz > now() - interval '1 day'",
    'coalesce(tz, now()) IS NULL',
    'CASE WHEN b THEN tz ELSE now() END IS NULL',
    'n = txid_current()',
    'n IN (1, pg_backend_pid())',
  ),
  'a predicate that only uses the row is accepted': where(
    'b',
    "tz > '2026-01-01'",
    "tz > 'now'",
    'tz IS NOT NULL',
    "ts > '2026-01-01'::timestamp",
    'tz - tz < i',
    "lower(k) = 'a'",
    "j->>'state' = 'open'",
    "k IN ('a', 'b')",
    "tz >= timestamptz '2026-01-01 00:00:00+00'",
  ),
  'an expression that does not depend on settings is accepted': on(
    'lower(k)',
    'md5(k)',
    'n || k',
    'n::text',
    'k::int',
    'd::timestamp',
    'ts::date',
    'a::varchar[]',
    "date_trunc('day', ts)",
    'extract(epoch FROM ts)',
    "date_part('day', d)",
    "ts + interval '1 day'",
    "d + interval '1 day'",
    'coalesce(k, v)',
    'u::text',
    'to_timestamp(n)',
    'jsonb_typeof(j)',
  ),
  'an expression that depends on settings is refused': on(
    'tz::text',
    'ts::text',
    'd || k',
    'tz || k',
    'i::text',
    'a::text',
    'tz::date',
    'tz::timestamp',
    'ts::timestamptz',
    'd::timestamptz',
    'k::date',
    'k::timestamptz',
    'k::interval',
    'k::text[]',
    "date_trunc('day', tz)",
    "date_trunc('day', d)",
    'extract(epoch FROM tz)',
    "tz + interval '1 day'",
    'tz - i',
    'tz > ts',
    'tz = d',
    'to_jsonb(k)',
    'concat(k, v)',
    "jsonb_build_object('k', k)",
  ),
  'expressions in the key of an index': [
    ...table,
    query('CREATE UNIQUE INDEX ON ix (lower(k))'),
    query('CREATE UNIQUE INDEX ON ix (concat(k, v))'),
    query('CREATE INDEX ON ix ((random()))'),
    query('CREATE INDEX ON ix (to_jsonb(k))'),
    query('CREATE INDEX ON ix (jsonb_typeof(j))'),
    query('CREATE INDEX ON ix (k) WHERE nothing > now()'),
    query('CREATE INDEX ON ix (nothing, (random()))'),
    query('CREATE INDEX ON ix ((random()), nothing)'),
    query('CREATE INDEX ix ON ix ((random()))'),
    query('CREATE INDEX IF NOT EXISTS ix_lower_idx ON ix ((random()))'),
    query('CREATE INDEX IF NOT EXISTS ix_lower_idx ON ix (lower(k))'),
    query('CREATE INDEX ON ix (k) WHERE n'),
  ],
  'subqueries, aggregates and system columns in an index': [
    ...table,
    query('CREATE INDEX ON ix (k) WHERE (SELECT true)'),
    query('CREATE INDEX ON ix (k) WHERE EXISTS (SELECT 1 FROM ix)'),
    query('CREATE INDEX ON ix (((SELECT 1)))'),
    query('CREATE INDEX ON ix ((count(*)))'),
    query('CREATE INDEX ON ix (k) WHERE count(*) > 1'),
    query('CREATE INDEX ON ix (nothing) WHERE count(*) > 1'),
    query('CREATE INDEX ON ix (ctid)'),
    query("CREATE INDEX ON ix (k) WHERE xmin::text = '1'"),
    query('CREATE INDEX ON ix (k) WHERE tableoid = 1'),
  ],
})

it.each([
  'false AND now() > tz',
  'CASE WHEN true THEN tz ELSE now() END IS NULL',
  "coalesce('2026-01-01', tz, now()) = tz",
  'now() > NULL',
  '1 = 1 OR now() > tz',
])('a predicate that PostgreSQL may fold to a constant is reported as not simulated: %s', (predicate) => {
  const lab = new Lab()
  lab.all('one', 'CREATE TABLE ix (k text, tz timestamptz)')
  expect(lab.ask('one', `CREATE INDEX ON ix (k) WHERE ${predicate}`)).toContain('0A000')
  expect(lab.unsupported).toEqual(['a function that is not IMMUTABLE beside a constant part'])
})
