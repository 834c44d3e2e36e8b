import { expect, it } from 'vitest'
import { Lab, withKeys } from './lab.ts'

it('an unqualified column in DO UPDATE is ambiguous between the table and excluded', () => {
  const lab = withKeys()
  const insert = "INSERT INTO t (k) VALUES ('a') ON CONFLICT (k) DO UPDATE"
  expect(lab.ask('one', `${insert} SET n = n + 1`)).toBe('42702 column reference "n" is ambiguous')
  expect(lab.ask('one', `${insert} SET n = 5 WHERE n = 1`)).toBe('42702 column reference "n" is ambiguous')
  expect(lab.ask('one', `${insert} SET n = t.n + 1 WHERE excluded.n = 0 RETURNING n`)).toBe('INSERT 0 1: 2')
  expect(lab.ask('one', `${insert} SET n = (SELECT max(n) FROM t AS other) RETURNING n`)).toBe('INSERT 0 1: 2')
})

it('an aggregate in a subquery belongs to the query whose columns it uses', () => {
  const lab = withKeys()
  const insert = "INSERT INTO t (k) VALUES ('a') ON CONFLICT (k) DO UPDATE SET n ="
  expect(lab.ask('one', `${insert} (SELECT max(t.n) FROM t AS other)`)).toBe(
    '42803 aggregate functions are not allowed in UPDATE',
  )
  expect(lab.ask('one', `${insert} (SELECT max(t.n + other.n) FROM t AS other) RETURNING n`)).toBe('INSERT 0 1: 3')
  expect(lab.ask('one', 'SELECT k FROM t WHERE (SELECT count(t.n) FROM t AS other) > 0')).toBe(
    '42803 aggregate functions are not allowed in WHERE',
  )
  lab.ask('one', 'SELECT (SELECT max(t.n) FROM t AS other) FROM t')
  expect(lab.unsupported).toEqual(['an aggregate of a query further out'])
})

it('a condition for which it is unclear whether it implies an index predicate is reported as not simulated', () => {
  const unclear = ["s = 'x' IS TRUE", "lower(s) = 'x'", "s = ANY (ARRAY['x'])", "s IS NOT DISTINCT FROM 'x'"]
  for (const condition of unclear) {
    const lab = new Lab()
    lab.all('setup', 'CREATE TABLE p (k text, s text)', "CREATE UNIQUE INDEX i ON p (k) WHERE s = 'x'")
    const insert = "INSERT INTO p VALUES ('a', 'x') ON CONFLICT (k)"
    expect(lab.ask('one', `${insert} DO NOTHING`)).toMatch(/^42P10/)
    expect(lab.unsupported).toEqual([])
    expect(lab.ask('one', `${insert} WHERE ${condition} DO NOTHING`)).toMatch(/^0A000/)
    expect(lab.unsupported).toEqual(['a WHERE of ON CONFLICT that does not repeat the predicate of index "i"'])
  }
})
