import { expect, it } from 'vitest'
import { type Lab, withKeys } from './lab.ts'

/**
 * The answers of a statement that waits while another session changes the table, and of the same
 * statement afterwards.
 */
function waitedFor(change: readonly string[], sql = 'SELECT * FROM t', lab: Lab = withKeys()) {
  lab.all('two', sql)
  lab.all('one', 'BEGIN', ...change)
  expect(lab.ask('two', sql)).toBe('waits')
  lab.ask('one', 'COMMIT')
  return [lab.later('two'), lab.ask('two', sql)]
}

it('a statement that waited for a table that was then dropped fails', () => {
  const missing = '42P01 relation "t" does not exist'
  expect(waitedFor(['DROP TABLE t'])).toEqual([missing, missing])
  expect(waitedFor(['DROP TABLE t'], "INSERT INTO t VALUES ('c') ON CONFLICT DO NOTHING")).toEqual([missing, missing])
})

it('a statement that waited for a table that was then replaced reads the new table', () => {
  const next = ['DROP TABLE t', 'CREATE TABLE t (a int)', 'INSERT INTO t VALUES (7)']
  expect(waitedFor(next)).toEqual(['SELECT 1: 7', 'SELECT 1: 7'])
})

it('a statement that waited for a TRUNCATE does not see the truncated rows', () => {
  expect(waitedFor(['TRUNCATE t'])).toEqual(['SELECT 0', 'SELECT 0'])
})

it('a statement that waited for changes that were then rolled back sees the old table', () => {
  const lab = withKeys()
  lab.all('one', 'BEGIN', 'DROP TABLE t', 'CREATE TABLE t (a int)')
  expect(lab.ask('two', 'SELECT * FROM t')).toBe('waits')
  lab.ask('one', 'ROLLBACK')
  expect(lab.later('two')).toBe('SELECT 2: a|1, b|2')
})

it('the same text is compiled separately for different parameter types', () => {
  const lab = withKeys()
  const first = (oid: number) => lab.session('one').parse('SELECT $1 + 1', [oid])[0]!.fields![0]!.typeOid
  expect([first(23), first(20), first(23)]).toEqual([23, 20, 23])
})

it('a table that a session has created and not committed exists for that session only, even for the same statement text', () => {
  const lab = withKeys()
  lab.all('one', 'BEGIN', 'CREATE TABLE mine (a int)', 'INSERT INTO mine VALUES (1)')
  const both = () => ['one', 'two'].map((name) => lab.ask(name, 'SELECT a FROM mine'))
  expect(both()).toEqual(['SELECT 1: 1', '42P01 relation "mine" does not exist'])
  lab.ask('one', 'COMMIT')
  expect(both()).toEqual(['SELECT 1: 1', 'SELECT 1: 1'])
})

it('a compilation with uncommitted tables is valid for all sessions after the commit, except for a session that has changed the catalog itself', () => {
  const compiledFor = (other: readonly string[]) => {
    const lab = withKeys()
    lab.all('two', 'BEGIN', ...other)
    lab.all('one', 'BEGIN', 'CREATE TABLE mine (a int)', 'SELECT a FROM mine')
    const { compiled, catalog } = lab.database
    const fits = () => [...compiled.values()].filter(({ of, version }) => of === null && version === catalog.version)
    const before = fits().length
    lab.ask('one', 'COMMIT')
    const after = fits().length
    expect(lab.ask('three', 'SELECT a FROM mine')).toBe('SELECT 0')
    return [before, after]
  }
  expect(compiledFor([])).toEqual([0, 1])
  expect(compiledFor(['CREATE TABLE other (a int)'])).toEqual([0, 0])
})

it('a rollback of a transaction without catalog changes keeps compilations valid', () => {
  const lab = withKeys()
  const asked = 'SELECT n FROM t'
  lab.ask('two', asked)
  const { version } = lab.database.catalog
  lab.all(
    'one',
    'BEGIN',
    "INSERT INTO t VALUES ('c')",
    'SAVEPOINT a',
    "INSERT INTO t VALUES ('d')",
    'ROLLBACK TO a',
    'ROLLBACK',
  )
  expect(lab.database.catalog.version).toBe(version)
  lab.all('one', 'BEGIN', 'SAVEPOINT a', 'CREATE TABLE x (a int)')
  lab.ask('one', 'ROLLBACK TO a')
  expect(lab.database.catalog.version).toBeGreaterThan(version + 1)
  expect(lab.ask('one', 'SELECT * FROM x')).toBe('42P01 relation "x" does not exist')
  lab.ask('one', 'ROLLBACK')
  expect(lab.database.catalog.isSettled).toBe(true)
})

it('truncated rows exist again after the TRUNCATE is rolled back', () => {
  const lab = withKeys()
  lab.all('one', 'BEGIN', 'TRUNCATE t')
  expect(lab.ask('one', 'SELECT * FROM t')).toBe('SELECT 0')
  lab.ask('one', 'ROLLBACK')
  expect(lab.ask('one', 'SELECT * FROM t')).toBe('SELECT 2: a|1, b|2')
  expect(lab.ask('two', 'SELECT * FROM t')).toBe('SELECT 2: a|1, b|2')
})

it('a literal `now` is the time of its statement, even if the statement was executed before', () => {
  const lab = withKeys()
  const asked = "SELECT 'now'::timestamptz = clock_timestamp()"
  expect(lab.ask('one', asked)).toBe('SELECT 1: t')
  lab.pass(1_000_000)
  expect(lab.ask('one', asked)).toBe('SELECT 1: t')
})
