import { expect, it } from 'vitest'
import { readmeExample } from '../../../test/package/readme-example.ts'

it('the example of the README runs', async () => {
  const { lines } = await readmeExample('virtual-node')
  expect(lines).toEqual(['process 1001 waited 60000 ms', 'process 1101 waited 60001 ms'])
})
