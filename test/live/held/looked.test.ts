import { expect, it } from 'vitest'
import { looked } from '../../../src/live/held/looked.ts'

it('polls until the condition is true', async () => {
  let looks = 0
  expect(await looked(async () => ++looks === 3, 10_000)).toBe(true)
  expect(looks).toBe(3)
})

it('polls again after an error, because the server may be back by then', async () => {
  let looks = 0
  const look = async () => {
    if (++looks < 3) throw new Error('redis-1 is down')
    return true
  }
  expect(await looked(look, 10_000)).toBe(true)
})

it('ends in time if the condition is never true', async () => {
  expect(await looked(async () => false, 20)).toBe(false)
})

it('ends in time if a poll is not answered', async () => {
  expect(await looked(() => new Promise(() => {}), 20)).toBe(false)
})
