import type { Redis } from 'ioredis'
import { describe, expect, it } from 'vitest'
import type { PlannedFault, RedisPlan } from '../../../src/contract/api/plan.ts'
import { done, layer, nowMs, play, sleep, withAndWithout } from '../../sim/world-lab.ts'

const watched: RedisPlan = {
  replicas: 2,
  sentinels: 3,
  downAfterMs: 500,
  failoverTimeoutMs: 2000,
  keeps: 'nothing',
  minReplicasToWrite: 0,
  fullSyncMs: 0,
  loadingMs: 0,
}

/** The replies to a consumer at these times, while a fault strikes a machine from 500 ms on. */
async function around<T>(
  askAtMs: readonly number[],
  ask: (redis: Redis) => Promise<T>,
  fault: Record<string, string | number>,
  redis = watched,
) {
  const answers: T[] = []
  const adapter = () =>
    layer(async (_, redis) => {
      for (const ms of askAtMs) {
        await sleep(ms - nowMs() + settledMs)
        answers.push(await ask(redis))
      }
      return done
    })
  const planned = { when: { at: 'time', ms: 500 }, healAfterMs: 6000, which: 0, ...fault } as never
  const played = await withAndWithout(adapter, planned, { redis, visibilityMs: 60_000 })
  expect(played.struck.unsupported).toEqual([])
  return { ...played, answers: answers.slice(0, askAtMs.length), calmAnswers: answers.slice(askAtMs.length) }
}

/** The age of the deployment when the time of the plan begins. */
const settledMs = 3000

const replicas = async (redis: Redis) => Number(/connected_slaves:(\d)/.exec(await redis.info('replication'))![1])

describe('machine-cut-off', () => {
  const primary = { kind: 'machine-cut-off', who: 'primary' }

  it('makes WAIT wait in vain, without a promotion, if it separates a primary from the other servers', async () => {
    const acknowledged = async (redis: Redis) => {
      await redis.set('k', nowMs())
      return redis.wait(2, 200)
    }
    const { struck, answers, calmAnswers } = await around([100, 1000, 9000], acknowledged, {
      ...primary,
      from: 'servers',
    })
    expect([answers, calmAnswers]).toEqual([
      [2, 0, 2],
      [2, 2, 2],
    ])
    expect(struck.of('topology').filter(({ what }) => what === 'promoted')).toEqual([])
  })

  it('from all machines has another one promoted, while clients still write to the old one', async () => {
    const { struck, spared } = await around([1000, 3500], (redis) => redis.set('k', nowMs()), {
      ...primary,
      from: 'machines',
    })
    expect(struck.of('topology').filter(({ what }) => what === 'promoted')).toMatchObject([{ other: 'redis-1' }])
    expect(struck.of('data-lost').filter(({ cause }) => cause === 'split-brain')).toMatchObject([
      { node: 'redis-1', redisKeys: ['k'] },
    ])
    expect(spared.of('topology').filter(({ what }) => what === 'promoted')).toEqual([])
  })

  it('from everything makes its clients follow the new primary', async () => {
    const role = async (redis: Redis) => ((await redis.role()) as unknown[])[0]
    const { struck, answers } = await around([100, 5500], role, { ...primary, from: 'everybody' })
    expect(answers[0]).toBe('master')
    expect(struck.of('topology').some(({ what, node }) => what === 'announced' && node === 'sentinel-1')).toBe(true)
  })

  it('is only noticed by the primary if it strikes a replica', async () => {
    const { struck } = await around([100, 3000], replicas, { kind: 'machine-cut-off', who: 'replica', from: 'servers' })
    expect(struck.of('fault-struck')).toMatchObject([
      { sentence: 'redis-2 is cut off from the other servers, for 6 s' },
    ])
  })
})

describe('machine-restart', () => {
  it('separates a replica from its primary for that long', async () => {
    const { answers, calmAnswers } = await around([100, 2000, 9000], replicas, {
      kind: 'machine-restart',
      who: 'replica',
    })
    expect([answers, calmAnswers]).toEqual([
      [2, 1, 2],
      [2, 2, 2],
    ])
  })

  it('with its disk brings a replica back empty, and its primary sends it everything', async () => {
    const bare = { kind: 'machine-restart', who: 'replica', diskLost: true } as never
    const { struck } = await around([100, 2000, 9000], replicas, bare)
    expect(struck.of('fault-struck')).toMatchObject([{ sentence: 'redis-2 dies with its disk', node: 'redis-2' }])
    const resynced = struck.of('topology').filter(({ what, atUs }) => what === 'resynced' && atUs > 0)
    expect(resynced).toMatchObject([{ node: 'redis-2' }])
  })

  it('does not affect the primary if it strikes a Sentinel', async () => {
    const { struck } = await around([100, 2000], replicas, { kind: 'machine-restart', who: 'sentinel' })
    expect(struck.of('fault-struck')).toMatchObject([{ sentence: 'sentinel-1 dies' }])
    expect(struck.of('fault-healed')).toMatchObject([{ sentence: 'sentinel-1 is back' }])
    expect(struck.of('topology').filter(({ what }) => what === 'promoted')).toEqual([])
  })
})

/** The number of replicas that a Sentinel knows. */
const listed = async (redis: Redis) => {
  const { host, port } = { host: '10.0.0.101', port: 26_379 }
  const sentinel = redis.duplicate({ host, port, sentinels: null as never, enableReadyCheck: false })
  const known = (await sentinel.call('SENTINEL', 'REPLICAS', 'orders')) as unknown[]
  sentinel.disconnect()
  return known.length
}

describe('machine-added', () => {
  const withSpare: RedisPlan = { ...watched, replicas: 1, spares: 1 }
  const lasting = { kind: 'machine-added', healAfterMs: 12_000 }

  it('attaches another replica, which acknowledges like the others, until it is removed', async () => {
    const counted = async (redis: Redis) => {
      await redis.set('k', nowMs())
      return [await replicas(redis), await redis.wait(2, 200)]
    }
    const { struck, answers, calmAnswers } = await around([100, 1000, 11_000, 13_000], counted, lasting, withSpare)
    expect(answers.map(([attached]) => attached)).toEqual([1, 2, 2, 1])
    expect(answers).toEqual([1, 2, 2, 1].map((many) => [many, many]))
    expect(calmAnswers).toEqual([1, 1, 1, 1].map((many) => [many, many]))
    expect(struck.of('fault-struck')).toMatchObject([
      { sentence: 'redis-3 is attached to redis-1 unannounced', node: 'redis-3' },
    ])
    expect(struck.of('fault-healed')).toMatchObject([{ sentence: 'redis-3 is removed' }])
  })

  it('is discovered by Sentinels at their next INFO of the primary, and forgotten after its removal', async () => {
    const { answers, calmAnswers } = await around([100, 4000, 9000, 15_000, 24_000], listed, lasting, withSpare)
    expect([answers, calmAnswers]).toEqual([
      [1, 1, 2, 0, 1],
      [1, 1, 1, 1, 1],
    ])
  })

  it('is never promoted: another replica replaces a dead primary', async () => {
    const faults = [
      { ...lasting, when: { at: 'time', ms: 500 }, healAfterMs: 30_000 },
      { kind: 'redis-restart', when: { at: 'time', ms: 10_000 }, healAfterMs: 40_000 },
    ]
    const waits = layer(async () => {
      await sleep(50_000)
      return done
    })
    const played = await play(waits, { redis: withSpare, faults: faults as never, visibilityMs: 60_000 })
    expect(played.of('topology').filter(({ what }) => what === 'promoted')).toMatchObject([
      { node: 'redis-2', other: 'redis-1', passedOver: ['redis-3'] },
    ])
  })

  it('is forgotten only once all planned replicas are up, because a missing one would be forgotten with it', async () => {
    const at = (ms: number) => ({ when: { at: 'time', ms } })
    const away = { kind: 'machine-restart', who: 'replica', which: 0, ...at(10_000) }
    const knownAt = async (ms: number, faults: readonly object[]) => {
      let known = -1
      const asks = layer(async (_, redis) => {
        await sleep(ms - nowMs() + settledMs)
        known = await listed(redis)
        return done
      })
      await play(asks, { redis: withSpare, faults: faults as never, visibilityMs: 60_000 })
      return known
    }
    const comes = { ...lasting, ...at(500) }
    expect(await knownAt(14_000, [comes])).toBe(0)
    expect(await knownAt(14_000, [comes, { ...away, healAfterMs: 8000 }])).toBe(2)
    expect(await knownAt(30_000, [comes, { ...away, healAfterMs: 8000 }])).toBe(1)
  })

  it('has no effect if there are no further servers', async () => {
    const fault = { ...lasting, when: { at: 'time', ms: 500 } }
    const struckIn = async (redis: RedisPlan, many: number) => {
      const waits = layer(async () => {
        await sleep(5000)
        return done
      })
      const faults = Array.from({ length: many }, () => fault)
      const played = await play(waits, { redis, faults: faults as never, visibilityMs: 60_000 })
      return played.of('fault-struck').length
    }
    expect(await struckIn(withSpare, 2)).toBe(1)
    expect(await struckIn({ ...withSpare, spares: 2 }, 2)).toBe(2)
    expect(await struckIn(watched, 1)).toBe(0)
  })
})

describe('machine-forgotten', () => {
  it('makes Sentinels count no replica until their next INFO of the primary', async () => {
    const { struck, answers, calmAnswers } = await around([100, 4000, 22_000], listed, { kind: 'machine-forgotten' })
    expect([answers, calmAnswers]).toEqual([
      [2, 0, 2],
      [2, 2, 2],
    ])
    expect(struck.of('fault-struck')).toMatchObject([
      { sentence: 'redis-2 is stopped, and the Sentinels forget it', node: 'redis-2' },
    ])
    expect(struck.of('fault-healed')).toMatchObject([{ sentence: 'redis-2 is back' }])
  })

  it('has no effect before the end of a failover, because Sentinels would never learn of the promotion', async () => {
    const stopped = { kind: 'slow-redis', when: { at: 'time', ms: 500 }, healAfterMs: 6000 } as const
    const reportedAt = async (ms: number) => {
      const faults = [stopped, { kind: 'machine-forgotten', which: 0, when: { at: 'time', ms }, healAfterMs: 6000 }]
      const lasting = layer(async () => {
        await sleep(40_000)
        return done
      })
      const played = await play(lasting, { redis: watched, faults: faults as never, visibilityMs: 60_000 })
      expect(played.of('topology').filter(({ what }) => what === 'promoted')).toHaveLength(1)
      const announced = played.of('topology').filter(({ what }) => what === 'announced')
      expect(new Set(announced.map(({ node }) => node))).toEqual(new Set(['sentinel-1', 'sentinel-2', 'sentinel-3']))
      return played.of('fault-struck').filter(({ sentence }) => sentence.includes('the Sentinels forget it'))
    }
    expect(await reportedAt(1600)).toEqual([])
    expect(await reportedAt(3000)).toEqual([])
    expect(await reportedAt(30_000)).toHaveLength(1)
  })

  it('differs from a restart, in which the replica is always counted', async () => {
    const { answers } = await around([100, 4000], listed, { kind: 'machine-restart', who: 'replica' })
    expect(answers).toEqual([2, 2])
  })
})

describe('the primary dies when its only replica has just returned', () => {
  const write = () =>
    layer(async (_, redis) => {
      await redis.set('k', 1)
      return done
    })
  const replica = { kind: 'machine-restart', who: 'replica', which: 0, when: { at: 'time', ms: 500 } } as const
  const primaryStops = (ms: number) => ({ kind: 'slow-redis', when: { at: 'time', ms }, healAfterMs: 6000 }) as const
  const defectsOf = async (faults: readonly PlannedFault[], some: Partial<RedisPlan> = {}) => {
    const redis = { ...watched, replicas: 1, ...some }
    const played = await play(write(), { redis, faults, visibilityMs: 60_000 })
    return played.of('topology').filter(({ what }) => what === 'promoted')
  }

  it('empty: it is promoted empty', async () => {
    const faults = [{ ...replica, diskLost: true, healAfterMs: 300 }, primaryStops(600)]
    expect(await defectsOf(faults)).toMatchObject([{ defects: ['never-synced', 'forgetful'] }])
  })

  it('with the data of its disk: it is promoted without later data', async () => {
    expect(await defectsOf([{ ...replica, healAfterMs: 300 }, primaryStops(600)])).toMatchObject([
      { defects: ['forgetful'] },
    ])
  })

  it('during a full resync: it is promoted in the middle', async () => {
    const faults = [{ ...replica, diskLost: true, healAfterMs: 100 }, primaryStops(1500)]
    const [promoted] = await defectsOf(faults, { fullSyncMs: 3000 })
    expect(promoted?.defects).toContain('mid-resync')
  })

  it('with all data again: its promotion has no defects', async () => {
    const faults = [{ ...replica, diskLost: true, healAfterMs: 100 }, primaryStops(3000)]
    const [promoted] = await defectsOf(faults)
    expect(promoted).toMatchObject({ other: 'redis-1' })
    expect(promoted?.defects).toBeUndefined()
  })
})
