import { describe, expect, it } from 'vitest'
import { Lab, withKeys } from './lab.ts'

describe('a transaction', () => {
  it('with READ COMMITTED sees commits before each statement, and with REPEATABLE READ before its first statement', () => {
    const lab = withKeys()
    lab.all('committed', 'BEGIN', 'SELECT 1')
    lab.all('repeatable', 'BEGIN ISOLATION LEVEL REPEATABLE READ', 'SELECT 1')
    lab.all('late', 'BEGIN ISOLATION LEVEL REPEATABLE READ')
    lab.ask('writer', "UPDATE t SET n = 7 WHERE k = 'a'")
    const read = "SELECT n FROM t WHERE k = 'a'"
    expect([lab.ask('committed', read), lab.ask('repeatable', read), lab.ask('late', read)]).toEqual([
      'SELECT 1: 7',
      'SELECT 1: 1',
      'SELECT 1: 7',
    ])
  })

  it('has its start time as now(), while the clock advances', () => {
    const lab = withKeys()
    lab.all('one', 'BEGIN')
    lab.pass(1e6)
    expect(lab.ask('one', 'SELECT clock_timestamp() - now(), statement_timestamp() - now()')).toBe(
      'SELECT 1: 00:00:01|00:00:01',
    )
  })

  it('rolls back to a savepoint, and keeps the changes before the savepoint', () => {
    const lab = withKeys()
    lab.all('one', 'BEGIN', "INSERT INTO t VALUES ('c')", 'SAVEPOINT s', "INSERT INTO t VALUES ('d')")
    expect(lab.ask('one', "INSERT INTO t VALUES ('c')")).toMatch(/^23505/)
    lab.all('one', 'ROLLBACK TO s', 'COMMIT')
    expect(lab.ask('two', 'SELECT k FROM t ORDER BY k')).toBe('SELECT 3: a, b, c')
  })

  it('does not return the values of a sequence when it is rolled back', () => {
    const lab = new Lab()
    lab.all('one', 'CREATE TABLE s (id bigserial, v text)', 'BEGIN', "INSERT INTO s (v) VALUES ('x')", 'ROLLBACK')
    expect(lab.ask('one', "INSERT INTO s (v) VALUES ('y') RETURNING id")).toBe('INSERT 0 1: 2')
  })

  it('sends notifications when it commits, to each listener that is not in a transaction', () => {
    const lab = withKeys()
    const heard: string[] = []
    lab.all('one', 'LISTEN jobs')
    lab.session('one').client = { notified: (channel, payload) => heard.push(`${channel} ${payload}`) }
    lab.all('two', 'BEGIN', "NOTIFY jobs, '1'", "SELECT pg_notify('jobs', '1')", "NOTIFY jobs, '2'")
    expect(heard).toEqual([])
    lab.ask('one', 'BEGIN')
    lab.ask('two', 'COMMIT')
    expect(heard).toEqual([])
    lab.ask('one', 'COMMIT')
    expect(heard).toEqual(['jobs 1', 'jobs 2'])
  })

  it('also rolls back SET, CREATE TABLE and TRUNCATE', () => {
    const lab = withKeys()
    lab.all('one', 'BEGIN', "SET lock_timeout = '5s'", 'CREATE TABLE gone (a int)', 'TRUNCATE t', 'ROLLBACK')
    expect(lab.ask('one', 'SHOW lock_timeout')).toBe('SHOW: 0')
    expect(lab.ask('one', 'SELECT * FROM gone')).toBe('42P01 relation "gone" does not exist')
    expect(lab.ask('one', 'SELECT count(*) FROM t')).toBe('SELECT 1: 2')
  })
})

describe('SERIALIZABLE', () => {
  it('aborts one of two transactions that each read what the other writes', () => {
    const lab = withKeys()
    for (const name of ['one', 'two']) lab.all(name, 'BEGIN ISOLATION LEVEL SERIALIZABLE', 'SELECT sum(n) FROM t')
    expect(lab.ask('one', "UPDATE t SET n = 0 WHERE k = 'a'")).toBe('UPDATE 1')
    expect(lab.ask('two', "UPDATE t SET n = 0 WHERE k = 'b'")).toBe('UPDATE 1')
    expect(lab.ask('one', 'COMMIT')).toBe('COMMIT')
    expect(lab.ask('two', 'COMMIT')).toBe(
      '40001 could not serialize access due to read/write dependencies among transactions',
    )
    expect(lab.session('two').status).toBe('I')
  })

  it('counts a row that ON CONFLICT leaves unchanged as read', () => {
    const lastStatement = (finds: string) => {
      const lab = withKeys()
      lab.all('one', 'BEGIN ISOLATION LEVEL SERIALIZABLE', `INSERT INTO t VALUES ('${finds}') ON CONFLICT DO NOTHING`)
      lab.all('two', 'BEGIN ISOLATION LEVEL SERIALIZABLE', "SELECT n FROM t WHERE k = 'b'")
      lab.all('two', "UPDATE t SET n = 4 WHERE k = 'a'", 'COMMIT')
      return lab.ask('one', "UPDATE t SET n = 3 WHERE k = 'b'")
    }
    expect(lastStatement('a')).toMatch(/^40001 .* read\/write dependencies/)
    expect(lastStatement('c')).toBe('UPDATE 1')
  })

  it('commits both transactions if one is only REPEATABLE READ', () => {
    const lab = withKeys()
    lab.all('one', 'BEGIN ISOLATION LEVEL SERIALIZABLE', 'SELECT sum(n) FROM t')
    lab.all('two', 'BEGIN ISOLATION LEVEL REPEATABLE READ', 'SELECT sum(n) FROM t')
    lab.all('one', "UPDATE t SET n = 0 WHERE k = 'a'")
    lab.all('two', "UPDATE t SET n = 0 WHERE k = 'b'")
    expect([lab.ask('one', 'COMMIT'), lab.ask('two', 'COMMIT')]).toEqual(['COMMIT', 'COMMIT'])
  })
})

describe('the statements of one simple query', () => {
  it('are one transaction, which an error rolls back as a whole', () => {
    const lab = withKeys()
    const session = lab.session('one')
    session.beginImplicit(true)
    lab.all('one', "INSERT INTO t VALUES ('c')")
    expect(lab.ask('two', 'SELECT count(*) FROM t')).toBe('SELECT 1: 2')
    lab.ask('one', 'SELECT 1/0')
    session.endImplicit(false, () => {})
    expect(lab.ask('two', 'SELECT count(*) FROM t')).toBe('SELECT 1: 2')
    session.beginImplicit(true)
    lab.all('one', "INSERT INTO t VALUES ('c')")
    const ended: unknown[] = []
    session.endImplicit(true, (error) => ended.push(error))
    expect(ended).toEqual([null])
    expect(lab.ask('two', 'SELECT count(*) FROM t')).toBe('SELECT 1: 3')
  })
})
