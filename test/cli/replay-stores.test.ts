/** `replay` of a layer under a scenario about other stores than its own. */
import { expect, it } from 'vitest'
import { refusal } from './run-here.ts'

it.each([
  [
    '003-postgres-skip-locked',
    'redis-restart',
    'it is about Redis, and 003-postgres-skip-locked keeps its records in PostgreSQL',
  ],
  ['reference', 'postgres-crash', 'it is about PostgreSQL, and reference keeps its records in Redis'],
])('replay of %s under %s is refused in one line', async (impl, scenario, why) => {
  const args = ['replay', '--seed', '7', '--run', '3', '--impl', impl, '--scenario', scenario]
  expect(await refusal(args)).toEqual({
    code: 2,
    stdout: '',
    stderr: `onceproof: ${impl} × ${scenario}: n/a, for ${why}; name a scenario about a store of the layer\n`,
  })
})
