import { expect, it } from 'vitest'
import { Lab } from './lab.ts'

it.each([
  ['SELECT CASE WHEN false THEN pg_sleep(1) END', 'pg_sleep() in CASE'],
  ['SELECT CASE WHEN false THEN (SELECT pg_advisory_xact_lock(1)) END', 'pg_advisory_xact_lock() in CASE'],
  ['SELECT COALESCE(NULL, pg_advisory_lock(1))', 'pg_advisory_lock() in COALESCE'],
])('a function that waits is not simulated in a part that PostgreSQL may skip: %s', (sql, what) => {
  const lab = new Lab()
  expect(lab.ask('a', sql)).not.toBe('waits')
  expect(lab.unsupported).toEqual([what])
})

it('a function that waits is simulated next to a condition', () => {
  const lab = new Lab()
  expect(lab.ask('a', 'SELECT CASE WHEN true THEN 1 END, pg_sleep(1)')).toBe('waits')
  expect(lab.unsupported).toEqual([])
})
