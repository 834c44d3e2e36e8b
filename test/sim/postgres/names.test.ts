import { expect, it } from 'vitest'
import { realNames } from '../../../fidelity/postgres/real-names.ts'
import { findPostgres, minorVersion, simulatedMinor, startPostgres } from '../../../src/fidelity/postgres/process.ts'
import * as names from '../../../src/sim/postgres/engine/reference/names.ts'
import { Lab } from './lab.ts'
import { sameAnswers } from './same-answers.ts'

it.each([
  ['SELECT gcd(4, 6)', 'the function gcd()'],
  ['SELECT stddev(1)', 'the function stddev()'],
  ['SELECT bit_and(1)', 'the function bit_and()'],
  ["SELECT '(1,1)'::circle", 'the type circle'],
  ["SELECT 'a'::tsquery", 'the type tsquery'],
  ['SHOW cpu_tuple_cost', 'the setting cpu_tuple_cost'],
  ["SELECT current_setting('geqo', true)", 'the setting geqo'],
  ["SET vacuum_cost_delay = '2ms'", 'the setting vacuum_cost_delay'],
  ['SELECT ARRAY[1] @> ARRAY[1]', 'the operator integer[] @> integer[]'],
  ["SELECT ARRAY['a'] && '{b}'", 'the operator text[] && unknown'],
  ['SELECT 5 & 3::bigint', 'the operator integer & bigint'],
  ['SELECT @ 5', 'the operator @ integer'],
  ["SELECT 'a' @@ 'b'", 'the operator unknown @@ unknown'],
  ["SELECT substring('foobar' from 'o.b')", 'substring() by a regular expression'],
])('%s: PostgreSQL has it, and it is named', (sql, what) => {
  const lab = new Lab()
  lab.ask('one', sql)
  expect(lab.unsupported).toEqual([what])
})

sameAnswers({
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
})

const noOperator = (operands: string) => `42883 operator does not exist: ${operands}`

sameAnswers({
  'operators that nobody has': {
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
})

const programs = findPostgres()
it.skipIf(programs === undefined || minorVersion(programs) !== simulatedMinor)(
  'the names are those of a real PostgreSQL: npx tsx fidelity/postgres/write-names.ts',
  async () => {
    const server = await startPostgres(programs!)
    const { version: _, ...real } = await realNames(server.port)
    await server.stop()
    expect(Object.fromEntries(Object.entries(names).map(([kind, set]) => [kind, [...set]]))).toEqual(real)
  },
)
