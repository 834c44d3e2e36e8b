/** The repaired twins on a keyed sink: forgotten keys, and refusals. */
import { expect, it } from 'vitest'
import { firstBreak } from './played.ts'

it.each([
  ['repaired-conditional-put', 'too-old-meanwhile', 1, 10],
  ['repaired-in-progress', 'too-old-meanwhile', 1, 10],
  ['repaired-in-progress', 'lost-reply', 3, 5],
] as const)('%s holds in %s', async (layer, scenario, seed, runs) => {
  expect(await firstBreak({ layer, scenario, sink: 'keyed', runs, seed })).toBeNull()
})
