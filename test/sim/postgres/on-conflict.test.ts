import { expect, it } from 'vitest'
import { withKeys } from './lab.ts'

it('a bare column in DO UPDATE is that of the table or of excluded: it must be said which', () => {
  const lab = withKeys()
  const insert = "INSERT INTO t (k) VALUES ('a') ON CONFLICT (k) DO UPDATE"
  expect(lab.ask('one', `${insert} SET n = n + 1`)).toBe('42702 column reference "n" is ambiguous')
  expect(lab.ask('one', `${insert} SET n = 5 WHERE n = 1`)).toBe('42702 column reference "n" is ambiguous')
  expect(lab.ask('one', `${insert} SET n = t.n + 1 WHERE excluded.n = 0 RETURNING n`)).toBe('INSERT 0 1: 2')
  expect(lab.ask('one', `${insert} SET n = (SELECT max(n) FROM t AS other) RETURNING n`)).toBe('INSERT 0 1: 2')
})

it('an aggregate in a subquery is one of the query whose columns it uses', () => {
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
