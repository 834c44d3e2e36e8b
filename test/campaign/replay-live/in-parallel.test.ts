/** Work that is repeated, partly in parallel. */
import { describe, expect, it } from 'vitest'
import { inParallel } from '../../../src/campaign/replay-live/in-parallel.ts'

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

describe('repeated work', () => {
  it('is limited to `atOnce` at a time', async () => {
    let [under, most, begun] = [0, 0, 0]
    const done = await inParallel({ times: 5, atOnce: 2, stopped: () => false }, async () => {
      most = Math.max(most, ++under)
      await turn()
      under--
      return ++begun
    })
    expect([done, most]).toEqual([[1, 2, 3, 4, 5], 2])
  })

  it('is not started after a stop', async () => {
    let begun = 0
    await inParallel({ times: 20, atOnce: 2, stopped: () => begun >= 2 }, async () => {
      begun++
      await turn()
    })
    expect(begun).toBe(2)
  })

  it('rejects with the first error after all started work has ended, and starts no more', async () => {
    let [begun, ended] = [0, 0]
    const made = inParallel({ times: 20, atOnce: 2, stopped: () => false }, async () => {
      const number = ++begun
      if (number === 1) throw new Error('no server')
      for (let turns = 0; turns < 10; turns++) await turn()
      ended++
    })
    await expect(made).rejects.toThrow('no server')
    expect([begun, ended]).toEqual([2, 1])
  })
})
