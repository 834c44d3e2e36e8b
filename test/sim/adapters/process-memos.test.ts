import { expect, it } from 'vitest'
import { loadImplementation } from '../../../src/sim/adapters/load-implementation.ts'
import { AdapterLab, createdBy, giving } from './adapter-lab.ts'

const lab = new AdapterLab()

/** What a package with a cached read does in two runs of one evaluation. */
async function inTwoRuns(variable: string): Promise<unknown[]> {
  const loaded = await loadImplementation(
    lab.adapter(variable, {
      'layer.ts': giving('[get(), get()]', "import get from 'dep'"),
      'node_modules/dep/package.json': '{ "name": "dep", "version": "5.0.0" }',
      'node_modules/dep/index.js': `let ${variable} = null;
module.exports = () => { if (${variable}) return 'kept'; ${variable} = { version: '5' }; return 'read' }`,
    }),
  )
  return [...(await createdBy(loaded, ['consumer-1'])), ...(await createdBy(loaded, ['consumer-1']))]
}

it('ioredis 5 reads its own package in every run, as in a separate process', async () => {
  expect(await inTwoRuns('cachedPackageMeta')).toEqual([
    ['read', 'kept'],
    ['read', 'kept'],
  ])
})

it('an unlisted variable outlives a run', async () => {
  expect(await inTwoRuns('another')).toEqual([
    ['read', 'kept'],
    ['kept', 'kept'],
  ])
})
