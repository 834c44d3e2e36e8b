/**
 * Rows of a join that change while a session waits to lock them (READ COMMITTED). The expected
 * values come from a PostgreSQL 15.
 */
import { expect, it } from 'vitest'
import { Lab } from './lab.ts'

const movesAway = "UPDATE a SET k = 'y' WHERE id = 1"
const movesIn = "UPDATE a SET k = 'x' WHERE id = 3"

it.each([
  ['an inner join leaves out what fits no more', 'JOIN b ON b.k = a.k', movesAway, 'SELECT 1: 2|y|3'],
  ['so it does by USING', 'JOIN b USING (k)', movesAway, 'SELECT 1: 2|y|3'],
  [
    'an outer join has nothing beside it then',
    'LEFT JOIN b ON b.k = a.k',
    movesAway,
    'SELECT 4: 1|y|null, 1|y|null, 2|y|3, 3|z|null',
  ],
  ['nor beside what had nothing', 'LEFT JOIN b ON b.k = a.k', movesIn, 'SELECT 4: 1|x|1, 1|x|2, 2|y|3, 3|x|null'],
  [
    'joins inside are looked at too',
    'LEFT JOIN (b JOIN a c ON c.k = b.k) ON b.k = a.k',
    movesAway,
    'SELECT 4: 1|y|null, 1|y|null, 2|y|3, 3|z|null',
  ],
])('%s', (_, join, change, answer) => {
  const lab = new Lab()
  lab.all(
    'setup',
    'CREATE TABLE a (id int PRIMARY KEY, k text)',
    'CREATE TABLE b (k text, m int)',
    "INSERT INTO a VALUES (1, 'x'), (2, 'y'), (3, 'z')",
    "INSERT INTO b VALUES ('x', 1), ('x', 2), ('y', 3)",
  )
  lab.all('one', 'BEGIN', change)
  expect(lab.ask('two', `SELECT a.id, a.k, b.m FROM a ${join} ORDER BY 1, 3 FOR UPDATE OF a`)).toBe('waits')
  lab.ask('one', 'COMMIT')
  expect(lab.later('two')).toBe(answer)
})
