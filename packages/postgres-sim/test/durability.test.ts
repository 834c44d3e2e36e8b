import { describe, expect, it } from 'vitest'
import { Lab, withKeys } from './lab.ts'

describe('a crash', () => {
  it('rolls back open transactions, and keeps committed data', () => {
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

  it('loses commits with synchronous_commit = off until the WAL writer has flushed them', () => {
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

  it('keeps a commit that was flushed together with a later commit', () => {
    const lab = withKeys()
    lab.all('one', 'SET synchronous_commit = off', "INSERT INTO t VALUES ('x')")
    lab.ask('two', "INSERT INTO t VALUES ('y')")
    lab.database.crash()
    expect(lab.ask('after', 'SELECT count(*) FROM t')).toBe('SELECT 1: 4')
  })
})

describe('a failover', () => {
  const afterFailover = (standby: 'synchronous' | 'asynchronous', ...statements: readonly string[]) => {
    const lab = withKeys({ standby })
    lab.pass(1_000_000)
    lab.all('one', ...statements)
    const lost = lab.database.failOver().map(({ values }) => values.k)
    return { lab, lost, kept: lab.ask('after', 'SELECT k FROM t ORDER BY k') }
  }

  it('loses the commits that an asynchronous standby had not received; a synchronous standby loses none', () => {
    const insert = "INSERT INTO t VALUES ('late')"
    expect(afterFailover('asynchronous', insert)).toMatchObject({ lost: ['late'], kept: 'SELECT 2: a, b' })
    expect(afterFailover('synchronous', insert)).toMatchObject({ lost: [], kept: 'SELECT 3: a, b, late' })
  })

  it('keeps a commit that is 600 ms old, although the commit was not reported as safe at once', () => {
    const { lab } = afterFailover('asynchronous')
    lab.ask('two', "INSERT INTO t VALUES ('early')")
    expect(lab.committed.map(({ values }) => values.k)).toEqual(['a', 'b'])
    lab.pass(600_000)
    expect(lab.committed.map(({ values }) => values.k)).toEqual(['a', 'b', 'early'])
    expect(lab.database.failOver()).toEqual([])
  })

  it('with a synchronous standby, loses a commit that did not wait for the standby, unless a later commit waited', () => {
    const local = ['SET synchronous_commit = local', "INSERT INTO t VALUES ('local')"]
    expect(afterFailover('synchronous', ...local)).toMatchObject({ lost: ['local'] })
    expect(
      afterFailover('synchronous', ...local, 'RESET synchronous_commit', "INSERT INTO t VALUES ('later')"),
    ).toMatchObject({
      lost: [],
      kept: 'SELECT 4: a, b, later, local',
    })
  })

  it('does not lose a commit that survived a restart and that the standby has received since', () => {
    const lab = withKeys({ standby: 'asynchronous' })
    lab.ask('one', "INSERT INTO t VALUES ('c')")
    expect(lab.database.crash()).toEqual([])
    lab.database.shipLater()
    lab.pass(600_000)
    expect(lab.database.failOver()).toEqual([])
  })

  it('sets a sequence back to the last value that the standby has received', () => {
    const lab = withKeys({ standby: 'asynchronous' })
    lab.all('one', 'CREATE TABLE s (id serial, v text)', "INSERT INTO s (v) VALUES ('a')")
    lab.pass(1_000_000)
    expect(lab.ask('one', "INSERT INTO s (v) SELECT 'b' FROM generate_series(1, 50) RETURNING id")).toMatch(/51$/)
    lab.database.failOver()
    expect(lab.ask('after', "INSERT INTO s (v) VALUES ('c') RETURNING id")).toBe('INSERT 0 1: 34')
  })
})

describe('a synchronous standby that lags', () => {
  const lagging = () => {
    const lab = new Lab({ standby: 'synchronous', standbyLagMs: 200 })
    const table = 'CREATE TABLE t (k text PRIMARY KEY, n int)'
    lab.all('setup', 'SET synchronous_commit = local', table, "INSERT INTO t VALUES ('a', 1), ('b', 2)")
    lab.pass(200_000)
    expect(lab.ask('one', "UPDATE t SET n = 9 WHERE k = 'a'")).toBe('waits')
    return lab
  }
  const read = "SELECT n FROM t WHERE k = 'a'"

  it('has received a commit before other sessions see it, and the locks are held until then', () => {
    const lab = lagging()
    expect(lab.ask('two', read)).toBe('SELECT 1: 1')
    expect(lab.ask('three', `${read} FOR SHARE`)).toBe('waits')
    expect(lab.committed.some(({ values }) => values.n === '9')).toBe(false)
    lab.pass(200_000)
    expect(lab.later('one')).toBe('UPDATE 1')
    expect(lab.committed.some(({ values }) => values.n === '9')).toBe(true)
    expect(lab.ask('two', read)).toBe('SELECT 1: 9')
    lab.pass(200_000)
    expect(lab.later('three')).toBe('SELECT 1: 9')
  })

  it('loses no commit that other sessions saw if the server is lost during the wait', () => {
    const lab = lagging()
    expect(lab.database.failOver()).toEqual([])
    expect(lab.ask('after', read)).toBe('SELECT 1: 1')
  })

  it('may lack a commit that other sessions see after its wait was canceled or its session ended', () => {
    for (const ends of ['cancel', 'end'] as const) {
      const lab = lagging()
      const noticed: string[] = []
      lab.session('one').client = { noticed: ({ severity, code }) => noticed.push(`${severity} ${code}`) }
      lab.session('one')[ends]()
      expect(noticed).toEqual(['WARNING 01000'])
      expect(lab.ask('two', read)).toBe('SELECT 1: 9')
      expect(lab.database.failOver().map(({ values }) => values.n)).toEqual(['9'])
      lab.forget('two')
      expect(lab.ask('two', read)).toBe('SELECT 1: 1')
    }
  })

  it('may lack a commit that other sessions see after a restart, unless a later commit waited for the standby', () => {
    const afterRestart = () => {
      const lab = lagging()
      expect(lab.database.crash()).toEqual([])
      lab.database.restarted()
      expect(lab.ask('two', read)).toBe('SELECT 1: 9')
      return lab
    }
    expect(afterRestart().database.failOver()).toHaveLength(1)
    const lab = afterRestart()
    expect(lab.ask('three', `${read} FOR SHARE`)).toBe('waits')
    lab.pass(200_000)
    expect(lab.later('three')).toBe('SELECT 1: 9')
    expect(lab.database.failOver()).toEqual([])
  })

  it('is waited for even longer than statement_timeout', () => {
    const lab = lagging()
    lab.all('two', 'SET statement_timeout = 50', 'BEGIN', "UPDATE t SET n = 7 WHERE k = 'b'")
    expect(lab.ask('two', 'COMMIT')).toBe('waits')
    lab.pass(200_000)
    expect(lab.later('two')).toBe('COMMIT')
  })
})

it('too many connections are refused', () => {
  const lab = withKeys({ maxConnections: 5 })
  lab.session('two')
  expect(() => lab.session('three')).toThrow('remaining connection slots are reserved')
})
