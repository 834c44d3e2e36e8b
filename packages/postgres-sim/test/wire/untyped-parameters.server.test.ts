/** Parameters and literals whose type cannot be determined. */
import { describe, parse, query, sync } from '../frontend-bytes.ts'
import { sameOnBothServers } from './turns.ts'

const tables = [query('DROP TABLE IF EXISTS a'), query('CREATE TABLE a (id int PRIMARY KEY, s text, j jsonb)')]
const described = (...x: string[]) => x.map((one) => parse(`SELECT ${one}`) + describe('S') + sync)
sameOnBothServers({
  'in contexts that accept any type': [
    ...tables,
    ...described(
      'array[$1]',
      "jsonb_build_object('a', $1)",
      'jsonb_build_array($1)',
      'to_jsonb($1)',
      'coalesce($1, $1)',
      '$1 IS NULL',
      "concat($1, 'a')",
      "concat_ws($1, 'a')",
      "concat_ws(',', $1)",
      "json_build_object('a', $1)",
      'greatest($1)',
      '$1',
      'count($1)',
      'sum($1)',
      'avg($1)',
      'max($1)',
      'array_agg($1)',
      'jsonb_agg($1)',
      'bool_or($1)',
      'extract(epoch from $1)',
      "date_trunc('day', $1)",
      "date_part('day', $1)",
      'jsonb_build_object($1, 1)',
      'jsonb_build_object($1::text, $2::int)',
      "concat($1::text, 'a')",
    ),
  ],
  'if another use determines the type': [
    ...tables,
    ...described(
      '1 FROM a WHERE $1 IS NULL OR s = $1',
      '1 FROM a WHERE s = $1 OR $1 IS NULL',
      '1 FROM a WHERE $1::text IS NULL OR s = $1',
      'count($1), $1::int',
      '$1::int, count($1)',
      "jsonb_build_object('a', $1), $1 || 'x'",
      'id FROM a WHERE ($1 IS NULL) AND id = 1',
      'id FROM a WHERE $1 IS NOT NULL AND id = $1',
    ),
  ],
  literals: [
    ...tables,
    query("SELECT to_jsonb('x')"),
    query("SELECT jsonb_agg('x')"),
    query("SELECT array_agg('x')"),
    query("SELECT sum('1')"),
    query("SELECT extract(epoch from '2026-01-01')"),
    query("SELECT date_trunc('day', '2026-01-01')"),
    query("SELECT date_part('day', '2026-01-01')"),
    query("SELECT jsonb_build_object('a', 'b', 'c', NULL)"),
    query("SELECT NULL IS NULL, 'a' IS NULL, concat('a', NULL), count('x'), bool_or('t'), max('x')"),
    query('SELECT to_jsonb(NULL)'),
  ],
})
