import { expect, it } from 'vitest'
import type { Results } from '../../src/contract/results.ts'
import { inTurn } from './run-in-turn.ts'

it.each([
  ['reference', 'plain'],
  ['lock-before-keyed-sink', 'keyed'],
  ['cancel-before-repeat', 'cancellable'],
])('%s is played on a sink that it can use, where nobody names one: %s', async (layer, sink) => {
  const args = ['run', '--impl', layer, '--scenario', 'competing-consumers', '--runs', '2', '--no-html', '--json']
  const { stdout } = await inTurn([...args, '--workers', '1'])
  expect((JSON.parse(stdout) as Results).pairs).toMatchObject([{ implementation: layer, sink }])
})
