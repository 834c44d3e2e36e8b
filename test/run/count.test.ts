import { BrokenAssumption } from 'virtual-node/assert'
import { expect, it } from 'vitest'
import { Count } from '../../src/run/count.ts'

it('a count has the begun and not yet ended faults, and a surplus end is a broken assumption', () => {
  const count = new Count('a fault heals once')
  count.begin()
  count.begin()
  count.end()
  expect(count.now).toBe(1)
  count.end()
  expect(() => count.end()).toThrow(new BrokenAssumption('broken assumption: a fault heals once'))
  expect(count.now).toBe(0)
})
