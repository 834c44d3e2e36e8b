import { expect, it } from 'vitest'
import { Lab } from './lab.ts'

it('a query for the element types of array types is answered', () => {
  const lab = new Lab()
  const asked =
    "SELECT b.oid, b.typarray FROM pg_catalog.pg_type a LEFT JOIN pg_catalog.pg_type b ON b.oid = a.typelem WHERE a.typcategory = 'A' GROUP BY b.oid, b.typarray ORDER BY b.oid"
  expect(lab.ask('one', asked)).toMatch(/^SELECT 14: 16\|1000, 17\|1001/)
})

it('TRUNCATE … RESTART IDENTITY resets the sequence to 1, unless it is rolled back', () => {
  const lab = new Lab()
  const insert = "INSERT INTO s (v) VALUES ('x') RETURNING id"
  lab.all('one', 'CREATE TABLE s (id serial, v text)', insert, 'BEGIN', 'TRUNCATE s RESTART IDENTITY')
  expect(lab.ask('one', insert)).toBe('INSERT 0 1: 1')
  lab.ask('one', 'ROLLBACK')
  expect(lab.ask('one', insert)).toBe('INSERT 0 1: 2')
})

it('make_interval accepts named arguments', () => {
  expect(new Lab().ask('one', 'SELECT make_interval(secs => 90.5), make_interval(1, 0, 0, 2)')).toBe(
    'SELECT 1: 00:01:30.5|1 year 2 days',
  )
})
