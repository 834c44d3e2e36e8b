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

it('invariants that are no list, or that there are not, are refused', async () => {
  await expect(load(`, invariants: 'all'`)).rejects.toThrow('its `invariants` are no list')
  await expect(load(`, invariants: ['all-is-well']`)).rejects.toThrow('an invariant that there is not, all-is-well')
})
