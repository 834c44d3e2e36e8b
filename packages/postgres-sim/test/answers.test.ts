import { expect, it } from 'vitest'
import { topics } from './answers.ts'
import { Lab } from './lab.ts'

it.each(Object.entries(topics))(
  'the simulated PostgreSQL answers like a real PostgreSQL: %s',
  (_, { setup = [], answers }) => {
    const lab = new Lab()
    lab.all('one', ...setup)
    const given = Object.keys(answers).map((sql) => [sql, lab.ask('one', sql)])
    expect(Object.fromEntries(given)).toEqual(answers)
    expect(lab.unsupported).toEqual([])
  },
)

it('a statement that only PostgreSQL supports is reported as unsupported, not as an error', () => {
  const lab = new Lab()
  lab.ask('one', 'SELECT DISTINCT ON (a) b FROM (VALUES (1, 2, 3)) AS v(a, b, c) ORDER BY a, c')
  lab.ask('one', 'SELECT array_agg(DISTINCT n) FROM (VALUES (3), (1)) AS v(n)')
  expect(lab.unsupported).toEqual(['DISTINCT ON ordered by an unselected expression', 'DISTINCT in array_agg()'])
})
