/**
 * Rows of a join that change while a session waits to lock them (READ COMMITTED). The expected
 * values were recorded from PostgreSQL 15.
 */
import { expect, it } from 'vitest'
import { Lab } from './lab.ts'

const movesAway = "UPDATE a SET k = 'y' WHERE id = 1"
const movesIn = "UPDATE a SET k = 'x' WHERE id = 3"

it.each([
  ['an inner join omits a row that no longer matches', 'JOIN b ON b.k = a.k', movesAway, 'SELECT 1: 2|y|3'],
  ['an inner join with USING omits a row that no longer matches', 'JOIN b USING (k)', movesAway, 'SELECT 1: 2|y|3'],
  [
    'an outer join returns nulls for a row that no longer has a match',
    'LEFT JOIN b ON b.k = a.k',
    movesAway,
    'SELECT 4: 1|y|null, 1|y|null, 2|y|3, 3|z|null',
  ],
  [
    'an outer join keeps the nulls of a row that had no match before',
    'LEFT JOIN b ON b.k = a.k',
    movesIn,
    'SELECT 4: 1|x|1, 1|x|2, 2|y|3, 3|x|null',
  ],
  [
    'a nested join is checked again, too',
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
