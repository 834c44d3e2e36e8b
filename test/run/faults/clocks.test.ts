import { epochMs } from 'virtual-node/kernel'
import { describe, expect, it } from 'vitest'
import type { PlannedFault } from '../../../src/contract/api/plan.ts'
import { done, layer, play, sleep } from '../../sim/world-lab.ts'

/**
 * What the clocks of consumer-1 and of Redis say at about 1000, 3000 and 5000 ms of the world, in
 * whole tenths of a second.
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

describe('clocks that nothing strikes', () => {
  it('agree', async () => expect((await clocks()).seen).toEqual([right(10), right(30), right(50)]))
})

describe('clock-step', () => {
  it("of a consumer moves its Date, and neither its timers nor Redis's TIME", async () => {
    const { seen, played } = await clocks({ kind: 'clock-step', machine: 0, byMs: -5000, ...at })
    expect(seen).toEqual([right(10), { wall: -20, timer: 30, redis: 30 }, right(50)])
    expect(played.of('fault-struck')).toMatchObject([{ sentence: 'the clock of consumer-1 jumps 5 s backward' }])
    expect(played.of('fault-healed')).toMatchObject([{ sentence: 'the clock of consumer-1 jumps back' }])
  })

  it('of Redis moves TIME and not the consumers', async () => {
    const { seen } = await clocks({ kind: 'clock-step', machine: -1, byMs: 60_000, ...at })
    expect(seen).toEqual([right(10), { wall: 30, timer: 30, redis: 630 }, right(50)])
  })

  it('of Redis lets keys expire by its own clock', async () => {
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
    // It was never touched while the clock was astray, and is there again.
    expect((await result(step)).result).toBe('v')
    expect((await result({ ...step, machine: 0, healAfterMs: 5000 })).result).toBe('v')
  })

  it('twice adds up, and heals one by one', async () => {
    const step = { kind: 'clock-step', machine: 0, byMs: 1000, ...at }
    const { seen } = await clocks(step, { ...step, byMs: 500, healAfterMs: 60 })
    expect(seen[1]).toEqual({ wall: 40, timer: 30, redis: 30 })
    expect(seen[2]).toEqual(right(50))
  })
})

describe('clock-frozen', () => {
  it('stops the Date, which goes on behind; timers go on', async () => {
    const { seen, played } = await clocks({ kind: 'clock-frozen', machine: 0, ...at })
    expect(seen).toEqual([right(10), { wall: 20, timer: 30, redis: 30 }, { wall: 30, timer: 50, redis: 50 }])
    expect(played.of('fault-healed')).toMatchObject([
      { sentence: 'the wall clock of consumer-1 runs again, 2 s behind' },
    ])
  })

  it('twice at once is one', async () => {
    const frozen = { kind: 'clock-frozen', machine: 0, ...at }
    const { seen, played } = await clocks(frozen, { ...frozen, healAfterMs: 10 })
    expect(played.of('fault-struck')).toHaveLength(1)
    expect(seen[1]!.wall).toBe(20)
  })
})

describe('clock-drift', () => {
  const drift = { kind: 'clock-drift', machine: 0, percent: 100, ...at } as const

  it('makes clocks and timers of one machine fast, and its time stays astray', async () => {
    // A timer that was running keeps its pace: until 3000 ms of the world, at which two seconds
    // more have passed here.
    const { seen, played } = await clocks(drift)
    expect(seen[0]).toEqual(right(10))
    expect(seen[1]).toEqual({ wall: 40, timer: 40, redis: 30 })
    // One local second is left to wait, half a second of the world's.
    expect(seen[2]).toEqual({ wall: 50, timer: 50, redis: 35 })
    expect(played.of('fault-healed')).toMatchObject([
      { sentence: 'the clocks of consumer-1 run at their normal pace again' },
    ])
  })

  it('of a machine that drifts already strikes nothing, and so heals nothing', async () => {
    const { seen, played } = await clocks(drift, { ...drift, percent: -50, healAfterMs: 10 })
    expect(played.of('fault-struck')).toHaveLength(1)
    expect(seen[1]).toEqual({ wall: 40, timer: 40, redis: 30 })
  })

  it('of nothing is nothing', async () => {
    expect((await clocks({ ...drift, percent: 0 })).played.of('fault-struck')).toEqual([])
    expect((await clocks({ kind: 'clock-step', machine: 0, byMs: 0, ...at })).played.of('fault-struck')).toEqual([])
  })
})
