import { expect, it } from 'vitest'
import { freePort, reservePort } from '../src/index.ts'

const always = async () => true

it('a reserved port is not returned again while its process runs', async () => {
  const from = await freePort()
  expect(await reservePort({ from: from + 1, below: from + 2 }, always)).toBe(from + 1)
  const drawn = await Promise.all([1, 2].map(() => reservePort({ from, below: from + 4 }, always)))
  expect(drawn.sort()).toEqual([from + 2, from + 3])
})

it('a port that is not usable is not reserved', async () => {
  const from = await freePort()
  expect(await reservePort({ from: from + 1, below: from + 3 }, async (port) => port > from + 1)).toBe(from + 2)
})
