import { expect, it } from 'vitest'
import { priceOf } from '../../tools/instead/round-trips.ts'

const storePrice = async (id: string) => {
  const { first, copy } = await priceOf(id, 'plain')
  return [first.store, copy.store]
}

it('counts 8 and 3 round trips for the two phases of article 004, and 4 and 3 for its lock', async () => {
  expect(await storePrice('004-two-phase-lock')).toEqual([8, 3])
  expect(await storePrice('004-lock-and-record')).toEqual([4, 3])
})

it('counts 2 round trips for a new message and 1 for a copy, for the scripts of articles 001 and 002', async () => {
  expect(await storePrice('001-lua-server-time')).toEqual([2, 1])
  expect(await storePrice('002-check-and-set-nack-on-skip')).toEqual([2, 1])
  expect(await storePrice('002-owner-token-nack-on-skip')).toEqual([2, 1])
})
