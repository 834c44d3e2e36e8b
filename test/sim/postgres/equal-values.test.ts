/** Values that are equal and not written alike are one key, one group and one row. */
import { expect, it } from 'vitest'
import { Lab } from './lab.ts'
import { sameAnswers } from './same-answers.ts'

const taken = (column: string) => `23505 duplicate key value violates unique constraint "a_${column}_key"`

sameAnswers({
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
})

it('what PostgreSQL takes and this does not is named, and is no error of PostgreSQL', () => {
  const lab = new Lab()
  lab.ask('one', 'SELECT DISTINCT ON (a) b FROM (VALUES (1, 2, 3)) AS v(a, b, c) ORDER BY a, c')
  lab.ask('one', 'SELECT array_agg(DISTINCT n) FROM (VALUES (3), (1)) AS v(n)')
  expect(lab.unsupported).toEqual(['DISTINCT ON ordered by what is not selected', 'DISTINCT in array_agg()'])
})
