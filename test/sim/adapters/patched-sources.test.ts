import fs from 'node:fs'
import { fileURLToPath } from 'node:url'
import { patchedFs } from 'virtual-node/runtime'
import { describe, expect, it } from 'vitest'
import type { Patch } from '../../../src/contract/api/canary.ts'
import { loadImplementation } from '../../../src/sim/adapters/load-implementation.ts'
import { PatchError, patchedSources } from '../../../src/sim/adapters/mutants.ts'

const begin = new URL('../../../lua/begin.lua', import.meta.url)
const text = fs.readFileSync(begin, 'utf8')
const [firstLine = ''] = text.split('\n', 1)

const sourcesOf = (...patches: Patch[]) =>
  patchedSources({ id: 'canary-x', about: '', patches, hunt: { killedBy: [], scenarios: [] } })

describe('the sources of a mutant', () => {
  it('are read with their patches, by path and by URL, while other files are unchanged', () => {
    const sources = sourcesOf(
      { file: 'lua/begin.lua', find: firstLine, replace: '-- one' },
      { file: 'lua/begin.lua', find: '-- one', replace: '-- two' },
    )
    const patched = patchedFs(sources)
    const expected = text.replace(firstLine, '-- two')
    expect(patched.readFileSync(begin, 'utf8')).toBe(expected)
    expect(String(patched.readFileSync(fileURLToPath(begin)))).toBe(expected)
    const other = new URL('../../../lua/renew.lua', import.meta.url)
    expect(patched.readFileSync(other, 'utf8')).toBe(fs.readFileSync(other, 'utf8'))
    expect(fs.readFileSync(begin, 'utf8')).toBe(text)
  })

  it.each([
    ['nowhere', 'no such line', 0],
    ['more than once', 'local', text.split('local').length - 1],
  ])('are refused if a patch fits %s', (_, find, times) => {
    expect(() => sourcesOf({ file: 'lua/begin.lua', find, replace: '' })).toThrow(
      new PatchError(`canary-x no longer matches lua/begin.lua: it has "${find}" ${times} times`),
    )
  })

  const mutants = new URL('../../../implementations/canaries/mutants/', import.meta.url)

  it.each(fs.readdirSync(mutants))('match the patches of %s', async (file) => {
    const { default: mutant } = await import(new URL(file, mutants).href)
    expect(patchedSources(mutant).size).toBeGreaterThan(0)
  })

  it('change the mutant, but not the reference that is loaded beside it', async () => {
    const path = (file: string) => fileURLToPath(new URL(`../../../implementations/${file}`, import.meta.url))
    const mutant = await loadImplementation(path('canaries/mutants/canary-takes-begun.ts'))
    const reference = await loadImplementation(path('reference/reference.ts'))
    expect(mutant.implementation).toMatchObject({ id: 'canary-takes-begun', expect: 'broken' })
    expect(mutant.implementation.sinks).toEqual(reference.implementation.sinks)
    expect(reference.implementation).toMatchObject({ id: 'reference', expect: 'holds' })
  })
})
