import { describe, expect, it } from 'vitest'
import { labelOfStatement, nameOfWith, valuesOfStatement } from '../../src/run/statement-labels.ts'

describe('the label of a statement', () => {
  it.each([
    ['INSERT INTO records (key) VALUES ($1) ON CONFLICT DO NOTHING', 'INSERT records'],
    ['insert\n  into public."Order Records" values (1)', 'INSERT Order Records'],
    ['UPDATE ONLY records SET status = $1', 'UPDATE records'],
    ['DELETE FROM app.records WHERE key = $1', 'DELETE records'],
    ['SELECT * FROM records WHERE key = $1 FOR UPDATE SKIP LOCKED', 'SELECT records'],
    ['SELECT pg_try_advisory_xact_lock($1)', 'SELECT pg_try_advisory_xact_lock'],
    ['SELECT 1', 'SELECT'],
    ['WITH taken AS (UPDATE jobs SET at = now() RETURNING id) SELECT * FROM taken', 'WITH jobs'],
    ['WITH n AS (SELECT id FROM q.job FOR UPDATE SKIP LOCKED) UPDATE q.job SET s = 1', 'WITH job'],
    ['WITH n AS (SELECT id FROM a FOR NO KEY UPDATE NOWAIT) SELECT * FROM n', 'WITH a'],
    ['/* app */ -- why\nSELECT x FROM t', 'SELECT t'],
    ['BEGIN ISOLATION LEVEL SERIALIZABLE', 'BEGIN'],
    ['START TRANSACTION', 'BEGIN'],
    ['COMMIT', 'COMMIT'],
    ['END', 'COMMIT'],
    ['ROLLBACK', 'ROLLBACK'],
    ['rollback to savepoint s', 'ROLLBACK TO'],
    ['CREATE TABLE IF NOT EXISTS records (key text)', 'CREATE records'],
    ['CREATE UNIQUE INDEX CONCURRENTLY by_key ON records (key)', 'CREATE by_key'],
    ['LISTEN settled', 'LISTEN'],
  ])('%s: %s', (sql, label) => {
    expect(labelOfStatement(sql)).toBe(label)
  })

  it.each([
    'SET statement_timeout = 5',
    'SHOW server_version',
    'DISCARD ALL',
    '',
    '-- nothing',
    'select b.oid from pg_catalog.pg_type a',
  ])('is missing for statements of the client itself: %s', (sql) => {
    expect(labelOfStatement(sql)).toBeNull()
  })
})

it('a writing statement with WITH has a longer name: its first CTE and what it changes', () => {
  const taking = 'WITH next AS (SELECT id FROM q.job FOR UPDATE SKIP LOCKED) UPDATE q.job SET s = 1'
  expect(nameOfWith(taking)).toBe('WITH next … UPDATE job')
  expect(nameOfWith('with "Old" as (delete from q.job returning *) insert into archive select * from "Old"')).toBe(
    'WITH Old … DELETE job',
  )
  expect(nameOfWith('WITH a AS (SELECT 1) SELECT * FROM a FOR UPDATE')).toBeNull()
})

it('the values of a statement are its parameters and its literals', () => {
  expect(valuesOfStatement("SELECT * FROM t WHERE a = $1 AND b = 'it''s'", ['order-1', null])).toEqual([
    'order-1',
    "it's",
  ])
})
