import path from 'node:path'
import { expect, it } from 'vitest'
import { loadScenario } from '../../src/cli/load-scenario.ts'
import { invariantNames } from '../../src/contract/api/verdict.ts'
import { temporaryFolder, write } from './run-cli.ts'

const texts = `id: 's', story: '', assumptions: [], goals: [], shape: 'single', recoveryCapMs: 1, plans: { generate() {} }`

/** The scenario of a file without `defineScenario`. */
function load(more = '') {
  const folder = temporaryFolder()
  write(folder, 's.mjs', `export default { ${texts}${more} }\n`)
  return loadScenario(path.join(folder, 's.mjs'))
}

it('a scenario without invariants is judged by all of them', async () => {
  expect((await load()).invariants).toEqual(invariantNames)
})

it('a scenario with invariants is judged by those', async () => {
  expect((await load(`, invariants: ['same-result']`)).invariants).toEqual(['same-result'])
})

it('a scenario may declare a Redis version that the simulation has, too', async () => {
  expect((await load(`, redisVersion: '7.0'`)).redisVersion).toBe('7.0')
  await expect(load(`, redisVersion: '8.0'`)).rejects.toThrow(
    'Redis 8.0 is not simulated, only 7.0; remove `redisVersion` (docs/reference/redis-versions.md)',
  )
})

it('invariants that are not a list, or unknown ones, are rejected', async () => {
  await expect(load(`, invariants: 'all'`)).rejects.toThrow('its `invariants` must be a list')
  await expect(load(`, invariants: ['all-is-well']`)).rejects.toThrow('unknown invariant all-is-well')
})

it('own invariants are judged beside the named ones, or beside all', async () => {
  const own = `{ id: 'mine', about: 'Mine.', judge() {} }`
  expect(await load(`, invariants: ['same-result', ${own}]`)).toMatchObject({
    invariants: ['same-result', 'own:mine'],
    own: [{ id: 'mine' }],
  })
  expect((await load(`, invariants: [${own}]`)).invariants).toEqual([...invariantNames, 'own:mine'])
  const needing = `{ id: 'mine', about: 'Mine.', needs: 'deadLetterReasons.failed', judge() {} }`
  expect(await load(`, invariants: [${needing}]`)).toMatchObject({ own: [{ needs: 'deadLetterReasons.failed' }] })
})

const badOnes = [
  [`null`, 'an invariant of `own` has no `id`'],
  [`{ id: 'Two words' }`, 'an invariant of `own` has no `id` (lower-case words with hyphens)'],
  [`{ id: 'mine' }`, 'its invariant mine has no `about`'],
  [`{ id: 'mine', about: 'Mine.' }`, 'its invariant mine has no `judge`'],
  [
    `{ id: 'mine', about: 'Mine.', needs: 'deadLetterReasons', judge() {} }`,
    'its invariant mine needs deadLetterReasons; known: bindsProducedAt, maxClockSkewMs, ',
  ],
  [`...[1, 2].map(() => ({ id: 'mine', about: '', judge() {} }))`, 'two of its invariants have the id mine'],
  [`'own:mine'`, 'unknown invariant own:mine'],
]
it.each(badOnes)('an own invariant %s is rejected', async (text, why) => {
  await expect(load(`, invariants: [${text}]`)).rejects.toThrow(why)
})
