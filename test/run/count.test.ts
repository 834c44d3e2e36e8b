import { BrokenAssumption } from 'virtual-node/assert'
import { expect, it } from 'vitest'
import { Count } from '../../src/run/count.ts'

it('a count is of what has begun and not ended; an end too many is a bug of ours', () => {
  const count = new Count('a fault heals once')
  count.begin()
  count.begin()
  count.end()
  expect(count.now).toBe(1)
  count.end()
  expect(() => count.end()).toThrow(new BrokenAssumption('it does not hold that a fault heals once'))
  expect(count.now).toBe(0)
})
