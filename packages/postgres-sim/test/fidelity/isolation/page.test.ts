import { describe, expect, it } from 'vitest'
import { isolationPage } from '../../../fidelity/isolation/page.ts'

const difference = { steps: [], at: 0, real: '', simulated: '' }

describe('the page on the isolation specifications', () => {
  const page = isolationPage(15, [
    { name: 'skip-locked', alike: 4, outside: new Map(), differences: [] },
    {
      name: 'triggers',
      alike: 0,
      outside: new Map([
        ['CREATE FUNCTION', 2],
        ['a | b', 1],
      ]),
      differences: [difference],
    },
  ])

  it('contains the numbers of orders, and the version of the server', () => {
    expect(page).toContain('**4 orders alike, 3 outside of the simulation, 1 different**')
    expect(page).toContain('PostgreSQL 15.15')
  })

  it('has a line for each specification, with the unsupported features', () => {
    expect(page).toContain('| `skip-locked` | 4 | 0 | 0 |  |')
    expect(page).toContain('| `triggers` | 0 | 3 | 1 | CREATE FUNCTION; a \\| b |')
  })

  it('contains the number of specifications without unsupported features', () => {
    expect(page).toContain('1 of 2 specifications')
  })
})
