import { expect, it } from 'vitest'
import { Lab } from './lab.ts'

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
  ['SELECT @ 5', 'the operator @ integer'],
  ["SELECT 'a' @@ 'b'", 'the operator unknown @@ unknown'],
  ["SELECT substring('foobar' from 'o.b')", 'substring() by a regular expression'],
])('%s: reports by name what PostgreSQL has and the simulator does not support', (sql, what) => {
  const lab = new Lab()
  lab.ask('one', sql)
  expect(lab.unsupported).toEqual([what])
})
