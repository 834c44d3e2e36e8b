import { expect, it } from 'vitest'
import { Lab, withKeys } from './lab.ts'

it('the types of parameters and result columns are inferred when a statement is parsed', () => {
  const lab = withKeys()
  const [statement] = lab
    .session('one')
    .parse('UPDATE t SET n = $2 WHERE k = $1 AND n < $3 RETURNING k, n + 1 AS next', [0, 0, 20])
  expect(statement!.parameterTypes).toEqual([25, 23, 20])
  expect(statement!.fields!.map(({ name, typeOid }) => `${name} ${typeOid}`)).toEqual(['k 25', 'next 23'])
})

it('parameter values are parsed according to their types', () => {
  const lab = withKeys()
  expect(lab.ask('one', 'SELECT n FROM t WHERE k = $1', ['a'])).toBe('SELECT 1: 1')
  expect(lab.ask('one', "UPDATE t SET n = $1 WHERE k = 'a'", ['x'])).toBe(
    '22P02 invalid input syntax for type integer: "x"',
  )
  expect(lab.ask('one', 'SELECT k FROM t WHERE k = ANY($1) ORDER BY k', ['{a,b,"c d"}'])).toBe('SELECT 2: a, b')
  expect(lab.ask('one', 'INSERT INTO t (k) VALUES ($1) ON CONFLICT (k) DO NOTHING', ["o'k"])).toBe('INSERT 0 1')
})

it('a parsed statement finds a table that was dropped and created again', () => {
  const lab = withKeys()
  const session = lab.session('one')
  const [statement] = session.parse('SELECT * FROM t ORDER BY 1', [])
  lab.all('two', 'DROP TABLE t', 'CREATE TABLE t (other int)', 'INSERT INTO t VALUES (3)')
  const answers: unknown[] = []
  session.execute(statement!, [], (outcome) => answers.push(outcome.ok && outcome.rows))
  expect(answers).toEqual([[['3']]])
})

it('SQL that is not simulated is refused by name and reported to the host', () => {
  const lab = new Lab()
  expect(lab.ask('one', 'SELECT rank() OVER () FROM generate_series(1, 2)')).toBe(
    '0A000 the window function rank() is not simulated',
  )
  expect(lab.ask('one', 'CREATE VIEW v AS SELECT 1')).toMatch(/^0A000/)
  expect(lab.unsupported.length).toBe(2)
})
