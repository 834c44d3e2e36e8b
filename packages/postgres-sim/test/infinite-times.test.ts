import { expect, it } from 'vitest'
import { Lab } from './lab.ts'

it('an infinite time equals itself and sorts after all other times', () => {
  const lab = new Lab()
  lab.all(
    'one',
    'CREATE TABLE lease (id int PRIMARY KEY, until timestamptz)',
    "INSERT INTO lease VALUES (1, 'infinity'), (2, '-infinity'), (3, '2024-01-01')",
  )
  const found = (condition: string) => lab.ask('one', `SELECT id FROM lease WHERE ${condition} ORDER BY id`)
  expect(found("until = 'infinity'")).toBe('SELECT 1: 1')
  expect(found("until >= 'infinity'")).toBe('SELECT 1: 1')
  expect(found("until <= '-infinity'")).toBe('SELECT 1: 2')
  expect(found("until IN ('infinity', '2024-01-01')")).toBe('SELECT 2: 1, 3')
  expect(found("until IS DISTINCT FROM 'infinity'")).toBe('SELECT 2: 2, 3')
  expect(found("until <> 'infinity' AND until < 'infinity'")).toBe('SELECT 2: 2, 3')
})

it('the month of an infinite time is null, and its epoch is not simulated', () => {
  const lab = new Lab()
  expect(lab.ask('one', "SELECT extract(month from 'infinity'::timestamptz)")).toBe('SELECT 1: null')
  expect(lab.ask('one', "SELECT date_part('epoch', '-infinity'::date)")).toBe('SELECT 1: -Infinity')
  expect(lab.unsupported).toEqual([])
  lab.ask('one', "SELECT extract(epoch from 'infinity'::timestamptz)")
  expect(lab.unsupported).toEqual(['infinity as a numeric'])
})
