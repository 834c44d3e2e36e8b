/** Untyped literals and parameters as columns of a query, whose type depends on their use. */
import { ask, query } from '../frontend-bytes.ts'
import { sameOnBothServers } from './turns.ts'

const tables = [
  query('DROP TABLE IF EXISTS g'),
  query('CREATE TABLE g (n int, t timestamptz, j jsonb, s text, b bool)'),
]

sameOnBothServers({
  'INSERT … SELECT': [
    ...tables,
    query('INSERT INTO g (n, t, j, b) SELECT NULL, NULL, NULL, NULL'),
    query("INSERT INTO g (n, t, j, b) SELECT '1', '2026-01-01', '{}', 't'"),
    query("INSERT INTO g (n) SELECT 'x'"),
    query("INSERT INTO g (n, s) SELECT NULL, 'a' WHERE NOT EXISTS (SELECT 1 FROM g WHERE s = 'a')"),
    query('SELECT * FROM g'),
  ],
  'UNION and INTERSECT': [
    query('SELECT 1 UNION SELECT NULL ORDER BY 1'),
    query('SELECT NULL UNION SELECT 1 ORDER BY 1'),
    query("SELECT '1' UNION ALL SELECT 2"),
    query('SELECT NULL UNION ALL SELECT NULL UNION ALL SELECT 1'),
    query('SELECT NULL UNION ALL SELECT NULL'),
    query("SELECT 'x' UNION SELECT 1"),
    query("SELECT 1 UNION SELECT 'a'::text"),
    query('SELECT now() IS NULL, NULL::int UNION SELECT NULL, 1'),
    query("SELECT 'a' UNION SELECT 'b' ORDER BY 1"),
    query('SELECT 1 INTERSECT SELECT NULL'),
    query('SELECT x + 1 FROM (SELECT NULL AS x UNION ALL SELECT 1) AS s'),
    query("SELECT '1' UNION ALL (SELECT '2' UNION ALL SELECT 3)"),
    query("SELECT 1 UNION ALL SELECT '2' UNION ALL SELECT '3'"),
    query("SELECT 1 UNION ALL SELECT '2' ORDER BY 1 LIMIT 1"),
  ],
  'INSERT … SELECT with columns that were resolved to text': [
    ...tables,
    query("INSERT INTO g (n, t) SELECT 1, NULL UNION ALL SELECT NULL, '2026-01-01'"),
    query('INSERT INTO g (n) SELECT NULL UNION ALL SELECT NULL'),
    query('INSERT INTO g (n) SELECT NULL UNION ALL SELECT 1'),
    query('INSERT INTO g (n) SELECT DISTINCT NULL'),
    query('INSERT INTO g (n) SELECT NULL GROUP BY 1'),
    query('INSERT INTO g (n) SELECT x FROM (SELECT NULL AS x) s'),
    query("INSERT INTO g (n) SELECT '5' ORDER BY 1"),
    query('INSERT INTO g (n) WITH w AS (SELECT NULL AS x) SELECT x FROM w'),
    query('WITH w AS (SELECT 1 AS x) INSERT INTO g (n, j) SELECT x, NULL FROM w'),
    query('INSERT INTO g (t) SELECT now()::text'),
    query("INSERT INTO g (n) SELECT coalesce(NULL, '1')"),
    query('INSERT INTO g (n) SELECT (SELECT NULL)'),
    query("INSERT INTO g (n) SELECT CASE WHEN true THEN '1' END"),
    query('SELECT n,s FROM g'),
  ],
  parameters: [
    ...tables,
    ask('INSERT INTO g (n, t, j) SELECT $1, $2, $3', ['1', null, '{}']),
    ask('INSERT INTO g (n, s) SELECT $1, $2 WHERE $1 > 0', ['1', 'x']),
    ask('INSERT INTO g (n, s) SELECT $1, $2 WHERE NOT EXISTS (SELECT 1 FROM g WHERE s = $2)', ['1', 'x']),
    ask('SELECT $1 UNION SELECT 1', ['1']),
    ask('SELECT 1 UNION SELECT $1', ['1']),
    ask('SELECT $1 UNION SELECT $2', ['1', '2']),
    ask('INSERT INTO g (n) SELECT $1 UNION ALL SELECT $2', ['1', '2']),
    ask('INSERT INTO g (n) SELECT $1 FROM g LIMIT 0', ['1']),
    ask('INSERT INTO g (n) SELECT DISTINCT $1', ['1']),
  ],
})
