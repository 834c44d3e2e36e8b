import { describe, expect, it } from 'vitest'
import { withKeys } from './lab.ts'

describe('a crash', () => {
  it('rolls back what was open, and keeps what was committed', () => {
    const lab = withKeys()
    lab.all(
      'one',
      "INSERT INTO t VALUES ('kept')",
      'BEGIN',
      "INSERT INTO t VALUES ('open')",
      "UPDATE t SET n = 5 WHERE k = 'a'",
    )
    lab.database.crash()
    expect(lab.ask('after', 'SELECT k, n FROM t ORDER BY k')).toBe('SELECT 3: a|1, b|2, kept|0')
    expect(lab.ask('after', "UPDATE t SET n = 6 WHERE k = 'a'")).toBe('UPDATE 1')
  })

  it('loses what synchronous_commit = off has answered, until the WAL writer has come by', () => {
    const lab = withKeys()
    lab.all('one', 'SET synchronous_commit = off', "INSERT INTO t VALUES ('flushed')")
    lab.pass(600_000)
    expect(lab.ask('one', "INSERT INTO t VALUES ('lost')")).toBe('INSERT 0 1')
    expect(lab.ask('two', "SELECT count(*) FROM t WHERE k = 'lost'")).toBe('SELECT 1: 1')
    lab.database.crash()
    lab.forget('two')
    expect(lab.ask('two', 'SELECT k FROM t ORDER BY k')).toBe('SELECT 3: a, b, flushed')
    expect(lab.committed.map(({ change, values }) => `${change} ${values.k}`)).toEqual([
      'insert a',
      'insert b',
      'insert flushed',
    ])
  })

  it('keeps what was flushed with a later commit', () => {
    const lab = withKeys()
    lab.all('one', 'SET synchronous_commit = off', "INSERT INTO t VALUES ('x')")
    lab.ask('two', "INSERT INTO t VALUES ('y')")
    lab.database.crash()
    expect(lab.ask('after', 'SELECT count(*) FROM t')).toBe('SELECT 1: 4')
  })
})

it('too many connections are refused', () => {
  const lab = withKeys({ maxConnections: 5 })
  lab.session('two')
  expect(() => lab.session('three')).toThrow('remaining connection slots are reserved')
})
