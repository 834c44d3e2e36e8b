/** Expressions that defaults, generated columns and checks must not use. */
import { query } from '../frontend-bytes.ts'
import { sameOnBothServers } from './turns.ts'

const tables = (...elements: readonly string[]) =>
  elements.flatMap((one) => [query(`CREATE TABLE made (${one})`), query('DROP TABLE IF EXISTS made')])

sameOnBothServers({
  'a generated column must be immutable': tables(
    'a int, b int GENERATED ALWAYS AS (a * 2) STORED',
    'a text, b text GENERATED ALWAYS AS (lower(a)) STORED',
    "a timestamp, b timestamp GENERATED ALWAYS AS (a + interval '1 day') STORED",
    'a int, b text GENERATED ALWAYS AS (now()::text) STORED',
    'a float GENERATED ALWAYS AS (random()) STORED',
    'a uuid GENERATED ALWAYS AS (gen_random_uuid()) STORED',
    "a timestamptz, b timestamptz GENERATED ALWAYS AS (a + interval '1 day') STORED",
    'a timestamptz, b date GENERATED ALWAYS AS (a::date) STORED',
    // The expression is checked before the cast to the column's type.
    'a timestamptz, b date GENERATED ALWAYS AS (a) STORED',
    'a timestamptz, b int GENERATED ALWAYS AS (a::date) STORED',
  ),
  'a generated column may only use columns that are not generated': tables(
    'a int, b int GENERATED ALWAYS AS (a) STORED, c int GENERATED ALWAYS AS (a) STORED',
    'a int, b int GENERATED ALWAYS AS (a) STORED, c int GENERATED ALWAYS AS (b + 1) STORED',
    'a int, b int GENERATED ALWAYS AS (c) STORED, c int GENERATED ALWAYS AS (a) STORED',
    'a int, b int GENERATED ALWAYS AS (b + 1) STORED',
    'a int, b int GENERATED ALWAYS AS (b + nothing) STORED',
    'a int, b text GENERATED ALWAYS AS (xmin::text) STORED',
    'a int, b oid GENERATED ALWAYS AS (tableoid) STORED',
  ),
  'a generated column must not contain subqueries or aggregates': tables(
    'a int, b int GENERATED ALWAYS AS ((SELECT 1)) STORED',
    'a int, b int GENERATED ALWAYS AS (count(a)) STORED',
    'a int, b int GENERATED ALWAYS AS (nothing) STORED',
  ),
  'a default must not contain columns, subqueries or aggregates': tables(
    'a timestamptz DEFAULT now(), b uuid DEFAULT gen_random_uuid(), c int DEFAULT 1 + 1',
    'a int, b int DEFAULT a',
    'a int, b int DEFAULT a + 1',
    'a int, b int DEFAULT coalesce(a, 1)',
    'a int, b int DEFAULT made.a',
    'a int DEFAULT nothing',
    'a int DEFAULT (SELECT 1)',
    'a bool DEFAULT EXISTS (SELECT 1)',
    'a int DEFAULT count(*)',
    'a int DEFAULT count(1) + (SELECT 1)',
  ),
  'a column has at most one source of values': tables(
    'a int, b int DEFAULT 1 GENERATED ALWAYS AS (a) STORED',
    'a int, b int GENERATED ALWAYS AS (a) STORED DEFAULT 1',
    'a int, b int GENERATED ALWAYS AS IDENTITY GENERATED ALWAYS AS (a) STORED',
    'a int, b int GENERATED ALWAYS AS IDENTITY DEFAULT 3',
  ),
  'a check may use only its own row, and the clock': tables(
    'a int CHECK (a > 1), t timestamptz CHECK (t <= now())',
    'a int, CHECK (tableoid > 1)',
    'a int CHECK (a > (SELECT 1))',
    'a int, CHECK (EXISTS (SELECT 1 FROM made))',
    'a int, CHECK (a IN (SELECT 1))',
    'a int, CHECK (a IN (1, 2))',
    'a int CHECK (count(a) > 1)',
    'a int, CHECK (max(a) > 1)',
    "a int CHECK (xmin::text = 'a')",
    'a int CHECK (nothing > 1)',
    'a int CHECK (a)',
  ),
  'the order of errors': tables(
    'a int CHECK (a > (SELECT 1)), b int DEFAULT (SELECT 2), c float GENERATED ALWAYS AS (random()) STORED',
    'c float GENERATED ALWAYS AS (random()) STORED, b int DEFAULT (SELECT 2)',
    'a int CHECK (a > (SELECT 1)), c float GENERATED ALWAYS AS (random()) STORED',
    'a int, c int GENERATED ALWAYS AS (now()) STORED',
  ),
})
