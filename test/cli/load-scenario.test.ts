import path from 'node:path'
import { expect, it } from 'vitest'
import { loadScenario } from '../../src/cli/load-scenario.ts'
import { invariantNames } from '../../src/contract/verdict.ts'
import { temporaryFolder, write } from './run-cli.ts'

const texts = `id: 's', story: '', assumptions: [], goals: [], shape: 'single', recoveryCapMs: 1, plans: { generate() {} }`

/** The scenario of a file without `defineScenario`. */
function load(more = '') {
  const folder = temporaryFolder()
  write(folder, 's.mjs', `export default { ${texts}${more} }\n`)
  return loadScenario(path.join(folder, 's.mjs'))
}

it('a file that names no invariants is judged by all of them', async () => {
  expect((await load()).invariants).toEqual(invariantNames)
})

it('a file that names some is judged by those', async () => {
  expect((await load(`, invariants: ['same-result']`)).invariants).toEqual(['same-result'])
})

it('a file may say which Redis it stands for, one that the simulation stands for too', async () => {
  expect((await load(`, redisVersion: '7.0'`)).redisVersion).toBe('7.0')
  await expect(load(`, redisVersion: '8.0'`)).rejects.toThrow(
    'it stands for Redis 8.0, and the simulation for 7.0: leave `redisVersion` out, or see docs/other-versions.md',
  )
})

it('invariants that are no list, or that there are not, are refused', async () => {
  await expect(load(`, invariants: 'all'`)).rejects.toThrow('its `invariants` are no list')
  await expect(load(`, invariants: ['all-is-well']`)).rejects.toThrow('an invariant that there is not, all-is-well')
})
