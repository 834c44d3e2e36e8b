/** Statements and their answers, which the simulated PostgreSQL and a real 15 must both give. */
export interface Asked {
  /** Statements before; their answers are not compared. */
  readonly setup?: readonly string[]
  /** By statement: `SELECT 1: a|b`, or `22003 value out of range`. */
  readonly answers: Readonly<Record<string, string>>
}

const noOperator = (operands: string) => `42883 operator does not exist: ${operands}`
const taken = (column: string) => `23505 duplicate key value violates unique constraint "a_${column}_key"`

export const topics: Readonly<Record<string, Asked>> = {
  'names that exist nowhere': {
    answers: {
      'SELECT nosuch(1)': '42883 function nosuch(integer) does not exist',
      'SELECT array_nosuch(1)': '42883 function array_nosuch(integer) does not exist',
      'SELECT public.now()': '42883 function public.now() does not exist',
      "SELECT 'a'::nosuch": '42704 type "nosuch" does not exist',
      'SHOW nosuch': '42704 unrecognized configuration parameter "nosuch"',
      'SET nosuch = 1': '42704 unrecognized configuration parameter "nosuch"',
      "SELECT substring('foobar' from 2 for 3)": 'SELECT 1: oob',
    },
  },
  'operators that do not exist': {
    answers: {
      "SELECT '1'::json = '1'": noOperator('json = unknown'),
      "SELECT ARRAY[1] @> ARRAY['a']": noOperator('integer[] @> text[]'),
      "SELECT 'a'::text @> 'b'::text": noOperator('text @> text'),
      'SELECT true + 1': noOperator('boolean + integer'),
      'SELECT now() * 2': noOperator('timestamp with time zone * integer'),
      "SELECT - 'a'::text": noOperator('- text'),
      "SELECT date '2024-01-01' + 1::bigint": noOperator('date + bigint'),
      "SELECT 1 & 'a'::text": noOperator('integer & text'),
      "SELECT '2024-01-01'::timestamptz + '2024-01-01'::timestamptz": noOperator(
        'timestamp with time zone + timestamp with time zone',
      ),
    },
  },
  'unique keys': {
    setup: [
      'CREATE TABLE a (j jsonb UNIQUE, f float8 UNIQUE, n numeric UNIQUE, i interval UNIQUE, z timestamptz UNIQUE, c char(4) UNIQUE, g float8[] UNIQUE)',
      `INSERT INTO a VALUES ('{"a": 1, "b": [2.50, {"c": 0}]}', 0, 1.0, '24:00:00', '2024-01-01 10:00+00', 'a', '{0,NaN}')`,
      "INSERT INTO a (j, f, i) VALUES ('1', 'NaN', '1 mon')",
    ],
    answers: {
      [`INSERT INTO a (j) VALUES ('{"b": [2.5, {"c": 0.00}], "a": 1.00}')`]: taken('j'),
      [`INSERT INTO a (j) VALUES ('{"b": [2.5, {"c": "0.00"}], "a": 1.00}')`]: 'INSERT 0 1',
      "INSERT INTO a (j) VALUES ('1.0')": taken('j'),
      "INSERT INTO a (f) VALUES ('-0')": taken('f'),
      "INSERT INTO a (f) VALUES ('NaN')": taken('f'),
      'INSERT INTO a (n) VALUES (1.00)': taken('n'),
      "INSERT INTO a (i) VALUES ('1 day')": taken('i'),
      "INSERT INTO a (i) VALUES ('30 days') ON CONFLICT (i) DO NOTHING": 'INSERT 0 0',
      "INSERT INTO a (z) VALUES ('2024-01-01 12:00+02')": taken('z'),
      "INSERT INTO a (c) VALUES ('a  ')": taken('c'),
      "INSERT INTO a (g) VALUES ('{-0,NaN}')": taken('g'),
      "SELECT i FROM a WHERE i = '1 day'": 'SELECT 1: 24:00:00',
      "SELECT j FROM a WHERE j = '1.00'": 'SELECT 1: 1',
    },
  },
  'groups and distinct rows': {
    answers: {
      "SELECT count(DISTINCT j) FROM (VALUES ('1'::jsonb), ('1.0'), ('2')) AS v(j)": 'SELECT 1: 2',
      "SELECT count(DISTINCT i) FROM (VALUES (interval '24:00'), ('1 day'), ('30 days'), ('1 mon')) AS v(i)":
        'SELECT 1: 2',
      "SELECT DISTINCT j FROM (VALUES ('1'::jsonb), ('1.0'), ('2')) AS v(j) ORDER BY j": 'SELECT 2: 1, 2',
      "SELECT f, count(*) FROM (VALUES ('-0'::float8), ('0')) AS v(f) GROUP BY f": 'SELECT 1: -0|2',
      "SELECT i, count(*) FROM (VALUES (interval '24:00'), ('1 day')) AS v(i) GROUP BY i": 'SELECT 1: 24:00:00|2',
      'SELECT DISTINCT n FROM (VALUES (1.0), (1.00)) AS v(n)': 'SELECT 1: 1.0',
      "SELECT '1'::jsonb UNION SELECT '1.0'::jsonb": 'SELECT 1: 1',
      'SELECT 1.0 INTERSECT SELECT 1.00': 'SELECT 1: 1.0',
      "SELECT interval '24:00' EXCEPT SELECT interval '1 day'": 'SELECT 0',
      'SELECT min(n), max(n) FROM (VALUES (1.0), (1.00)) AS v(n)': 'SELECT 1: 1.00|1.00',
      "SELECT interval '3000000 years 1 us' = interval '3000000 years', interval '3000000 years 1 us' > interval '3000000 years'":
        'SELECT 1: f|t',
    },
  },
  'errors and values at the edge': {
    answers: {
      'DROP INDEX nope': '42704 index "nope" does not exist',
      'DROP TABLE nope': '42P01 table "nope" does not exist',
      'SELECT round(2.5::float8), round(3.5::float8), round(-2.5::float8), round(-0.5::float8), round(2.4::float8)':
        'SELECT 1: 2|4|-2|-0|2',
      "SELECT '1e400'::float8": '22003 "1e400" is out of range for type double precision',
      "SELECT '\\x01'::bytea || '\\x02'": 'SELECT 1: \\x0102',
    },
  },
  'positions out of range': {
    setup: ['CREATE TABLE placed (k text)', "INSERT INTO placed VALUES ('a'), ('b')"],
    answers: {
      'SELECT k FROM placed ORDER BY -1': '42P10 ORDER BY position -1 is not in select list',
      'SELECT k FROM placed ORDER BY 0': '42P10 ORDER BY position 0 is not in select list',
      'SELECT k FROM placed ORDER BY 2': '42P10 ORDER BY position 2 is not in select list',
      'SELECT k FROM placed GROUP BY -1': '42P10 GROUP BY position -1 is not in select list',
      "SELECT k FROM placed ORDER BY 'x'": '42601 non-integer constant in ORDER BY',
      "SELECT 'q' FROM placed ORDER BY 1": 'SELECT 2: q, q',
      "SELECT 1 UNION SELECT '2' ORDER BY 1": 'SELECT 2: 1, 2',
    },
  },
}
