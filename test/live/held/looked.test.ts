import { expect, it } from 'vitest'
import { looked } from '../../../src/live/held/looked.ts'

it('looks until it is so', async () => {
  let looks = 0
  expect(await looked(async () => ++looks === 3, 10_000)).toBe(true)
  expect(looks).toBe(3)
})

it('looks again where a look has failed: the server may be back by then', async () => {
  let looks = 0
  const look = async () => {
    if (++looks < 3) throw new Error('redis-1 is down')
    return true
  }
  expect(await looked(look, 10_000)).toBe(true)
})

it('is over in time where it never is so', async () => {
  expect(await looked(async () => false, 20)).toBe(false)
})

it('is over in time where a look has no answer', async () => {
  expect(await looked(() => new Promise(() => {}), 20)).toBe(false)
})
