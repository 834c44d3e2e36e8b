import type { Redis } from 'ioredis'
import { describe, expect, it } from 'vitest'
import { done, layer } from '../../sim/world-lab.ts'
import { explored, layerOf } from './explore-lab.ts'

describe('an exploration without faults', () => {
  it.each([1, 2, 3])('plays as many orders as two attempts of %i writes have', async (writes) => {
    const found = await explored(layerOf(Array.from({ length: writes }, () => 'increment' as const)))
    expect(found.orders).toBe(binomial(2 * writes, writes))
  })

  it('plays one order of attempts that read one key', async () => {
    expect((await explored(layerOf(['readCount', 'readCount', 'readCount']))).orders).toBe(1)
  })

  it('plays one order of attempts that write different keys', async () => {
    expect((await explored(layerOf(['writeOwn', 'writeOwn', 'writeOwn']))).orders).toBe(1)
  })

  it('plays each order of a write among the reads of another attempt', async () => {
    // The write of each attempt may come before, between or after the two reads of the other one.
    const found = await explored(layerOf(['readCount', 'increment', 'readCount']))
    expect(found.orders).toBe(8)
  })

  it('finds that a look before an effect is not enough', async () => {
    const found = await explored(layerOf(['looks', 'performs', 'marks']))
    expect(found.broken.map(({ kind }) => kind)).toContain('duplicate')
    expect(found.broke).toBeLessThan(found.orders)
  })

  it('finds no order that breaks a claim', async () => {
    const found = await explored(layerOf(['claimsMark', 'performs']))
    expect(found).toMatchObject({ broke: 0, isCut: false })
    expect([...found.unknown]).toEqual([])
  })
})

describe('an exploration of a crash with a command under way', () => {
  const crash = { kind: 'crash', when: { at: 'command-executed', consumer: 0, nth: 1 }, healAfterMs: 100 } as const
  const exploredWith = (second: (redis: Redis) => Promise<unknown>) => {
    const both = layer(async (_, redis) => {
      await Promise.all([redis.get('count'), second(redis)])
      return done
    })
    return explored(both, { deliveries: 1, faults: [crash] })
  }

  // The broker requeues the message at once, or after the visibility timeout.
  it('also plays the runs in which a write is lost', async () => {
    expect((await exploredWith((redis) => redis.incr('count'))).runs).toBe(4)
  })

  it('plays no run in which a read is lost, because its loss makes no difference', async () => {
    expect((await exploredWith((redis) => redis.get('other'))).runs).toBe(2)
  })
})

function binomial(n: number, k: number): number {
  return k === 0 ? 1 : (binomial(n - 1, k - 1) * n) / k
}
