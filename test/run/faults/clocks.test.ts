import { epochMs } from 'virtual-node/kernel'
import { describe, expect, it } from 'vitest'
import type { PlannedFault } from '../../../src/contract/api/plan.ts'
import { done, layer, play, sleep } from '../../sim/world-lab.ts'

/**
 * The clocks of consumer-1 and of Redis at about 1000, 3000 and 5000 ms of the world, in tenths of
 * a second.
 */
async function clocks(...faults: PlannedFault[]) {
  const seen: Record<string, number>[] = []
  const tenths = (ms: number) => Math.round(ms / 100)
  const probe = layer(async (_, redis) => {
    const start = performance.now()
    for (const at of [1000, 3000, 5000]) {
      await sleep(at - (performance.now() - start))
      const [seconds, micros] = await redis.time()
      const redisMs = Number(seconds) * 1000 + Number(micros) / 1000
      seen.push({
        wall: tenths(Date.now() - epochMs),
        timer: tenths(performance.now() - start),
        redis: tenths(redisMs - epochMs),
      })
    }
    return done
  })
  const played = await play(probe, { visibilityMs: 30_000, faults })
  return { seen, played }
}

const at = { when: { at: 'time', ms: 2000 }, healAfterMs: 2000 } as const
const right = (tenths: number) => ({ wall: tenths, timer: tenths, redis: tenths })

describe('clocks without faults', () => {
  it('agree', async () => expect((await clocks()).seen).toEqual([right(10), right(30), right(50)]))
})

describe('clock-step', () => {
  it('moves the Date of a consumer, but neither its timers nor TIME of Redis', async () => {
    const { seen, played } = await clocks({ kind: 'clock-step', machine: 0, byMs: -5000, ...at })
    expect(seen).toEqual([right(10), { wall: -20, timer: 30, redis: 30 }, right(50)])
    expect(played.of('fault-struck')).toMatchObject([{ sentence: 'the clock of consumer-1 jumps 5 s backward' }])
    expect(played.of('fault-healed')).toMatchObject([{ sentence: 'the clock of consumer-1 jumps back' }])
  })

  it('moves TIME of Redis, but not the consumers', async () => {
    const { seen } = await clocks({ kind: 'clock-step', machine: -1, byMs: 60_000, ...at })
    expect(seen).toEqual([right(10), { wall: 30, timer: 30, redis: 630 }, right(50)])
  })

  it('makes the keys of Redis expire by its own clock', async () => {
    const leased = layer(async (_, redis) => {
      await redis.set('k', 'v', 'PX', 10_000)
      await sleep(1000)
      return { status: 'done', result: await redis.get('k') }
    })
    const step = {
      kind: 'clock-step',
      machine: -1,
      byMs: 60_000,
      when: { at: 'time', ms: 500 },
      healAfterMs: 9,
    } as const
    const result = async (...faults: PlannedFault[]) =>
      (await play(leased, { faults })).of('answered')[0]!.outcome as { result: unknown }
    expect((await result()).result).toBe('v')
    expect((await result({ ...step, healAfterMs: 5000 })).result).toBe(null)
    // The key was not accessed while the clock was wrong, and exists again.
    expect((await result(step)).result).toBe('v')
    expect((await result({ ...step, machine: 0, healAfterMs: 5000 })).result).toBe('v')
  })

  it('adds up if it strikes twice, and heals one by one', async () => {
    const step = { kind: 'clock-step', machine: 0, byMs: 1000, ...at }
    const { seen } = await clocks(step, { ...step, byMs: 500, healAfterMs: 60 })
    expect(seen[1]).toEqual({ wall: 40, timer: 30, redis: 30 })
    expect(seen[2]).toEqual(right(50))
  })
})

describe('clock-frozen', () => {
  it('stops the Date, which continues behind, while timers continue', async () => {
    const { seen, played } = await clocks({ kind: 'clock-frozen', machine: 0, ...at })
    expect(seen).toEqual([right(10), { wall: 20, timer: 30, redis: 30 }, { wall: 30, timer: 50, redis: 50 }])
    expect(played.of('fault-healed')).toMatchObject([
      { sentence: 'the wall clock of consumer-1 runs again, 2 s behind' },
    ])
  })

  it('strikes only once if it overlaps', async () => {
    const frozen = { kind: 'clock-frozen', machine: 0, ...at }
    const { seen, played } = await clocks(frozen, { ...frozen, healAfterMs: 10 })
    expect(played.of('fault-struck')).toHaveLength(1)
    expect(seen[1]!.wall).toBe(20)
  })
})

describe('clock-drift', () => {
  const drift = { kind: 'clock-drift', machine: 0, percent: 100, ...at } as const

  it('speeds up clocks and timers of one machine, and the offset remains', async () => {
    // A running timer keeps its speed until 3000 ms of the world, when two more seconds have passed
    // here.
    const { seen, played } = await clocks(drift)
    expect(seen[0]).toEqual(right(10))
    expect(seen[1]).toEqual({ wall: 40, timer: 40, redis: 30 })
    // One local second is left to wait, which is half a second of the world.
    expect(seen[2]).toEqual({ wall: 50, timer: 50, redis: 35 })
    expect(played.of('fault-healed')).toMatchObject([
      { sentence: 'the clocks of consumer-1 run at their normal pace again' },
    ])
  })

  it('does not strike or heal a machine that already drifts', async () => {
    const { seen, played } = await clocks(drift, { ...drift, percent: -50, healAfterMs: 10 })
    expect(played.of('fault-struck')).toHaveLength(1)
    expect(seen[1]).toEqual({ wall: 40, timer: 40, redis: 30 })
  })

  it('does not strike if it changes nothing', async () => {
    expect((await clocks({ ...drift, percent: 0 })).played.of('fault-struck')).toEqual([])
    expect((await clocks({ kind: 'clock-step', machine: 0, byMs: 0, ...at })).played.of('fault-struck')).toEqual([])
  })
})
