import { describe, expect, it } from 'vitest'
import { withKeys } from './lab.ts'

describe('a key that another transaction has inserted and not committed', () => {
  it('can be inserted after a wait if the other transaction is rolled back', () => {
    const lab = withKeys()
    lab.all('one', 'BEGIN', "INSERT INTO t VALUES ('x')")
    expect(lab.ask('two', "INSERT INTO t VALUES ('x')")).toBe('waits')
    expect(lab.database.blockedBy(lab.session('two').processId)).toEqual([lab.session('one').processId])
    lab.ask('one', 'ROLLBACK')
    expect(lab.later('two')).toBe('INSERT 0 1')
  })

  it('is a duplicate if the other transaction commits', () => {
    const lab = withKeys()
    lab.all('one', 'BEGIN', "INSERT INTO t VALUES ('x')")
    lab.ask('two', "INSERT INTO t VALUES ('x')")
    lab.ask('one', 'COMMIT')
    expect(lab.later('two')).toBe('23505 duplicate key value violates unique constraint "t_pkey"')
    const { fields } = lab.error('two', "INSERT INTO t VALUES ('x')")
    expect(fields).toEqual({
      detail: 'Key (k)=(x) already exists.',
      schema: 'public',
      table: 't',
      constraint: 't_pkey',
    })
  })

  it('is skipped by ON CONFLICT DO NOTHING after the other transaction has committed', () => {
    const lab = withKeys()
    lab.all('one', 'BEGIN', "INSERT INTO t VALUES ('x')")
    expect(lab.ask('two', "INSERT INTO t VALUES ('x') ON CONFLICT DO NOTHING RETURNING k")).toBe('waits')
    lab.ask('one', 'COMMIT')
    expect(lab.later('two')).toBe('INSERT 0 0')
  })

  it('is updated by ON CONFLICT DO UPDATE based on the committed values', () => {
    const lab = withKeys()
    lab.all('one', 'BEGIN', "INSERT INTO t VALUES ('x', 5)")
    const upsert =
      "INSERT INTO t VALUES ('x', 1) ON CONFLICT (k) DO UPDATE SET n = t.n + EXCLUDED.n RETURNING n, xmax = 0"
    expect(lab.ask('two', upsert)).toBe('waits')
    lab.ask('one', 'COMMIT')
    expect(lab.later('two')).toBe('INSERT 0 1: 6|f')
    expect(lab.ask('two', upsert.replaceAll("'x'", "'y'"))).toBe('INSERT 0 1: 1|t')
  })

  it('does not block other keys, or keys that a partial index excludes', () => {
    const lab = withKeys()
    lab.all('setup', 'CREATE TABLE p (k text, live boolean)', 'CREATE UNIQUE INDEX ON p (k) WHERE live')
    lab.all('one', 'BEGIN', "INSERT INTO t VALUES ('x')", "INSERT INTO p VALUES ('x', true)")
    expect(lab.ask('two', "INSERT INTO t VALUES ('y')")).toBe('INSERT 0 1')
    expect(lab.ask('two', "INSERT INTO p VALUES ('x', false)")).toBe('INSERT 0 1')
    expect(lab.ask('two', "INSERT INTO p VALUES ('x', true)")).toBe('waits')
  })

  it('blocks CREATE TABLE IF NOT EXISTS if it is the name of a table, and the statement fails after the commit', () => {
    const lab = withKeys()
    lab.all('one', 'BEGIN', 'CREATE TABLE IF NOT EXISTS keys (k text)')
    expect(lab.ask('two', 'CREATE TABLE IF NOT EXISTS keys (k text)')).toBe('waits')
    lab.ask('one', 'COMMIT')
    expect(lab.later('two')).toBe('23505 duplicate key value violates unique constraint "pg_type_typname_nsp_index"')
    expect(lab.ask('two', 'CREATE TABLE IF NOT EXISTS keys (k text)')).toBe('CREATE TABLE')
  })
})

it('one command cannot update the same row twice by ON CONFLICT', () => {
  const lab = withKeys()
  const twice = "INSERT INTO t VALUES ('z'), ('z') ON CONFLICT (k) DO UPDATE SET n = 1"
  expect(lab.ask('one', twice)).toBe('21000 ON CONFLICT DO UPDATE command cannot affect row a second time')
})
