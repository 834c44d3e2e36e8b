/**
 * Unmodified ioredis follows a simulated Cluster through the failover of a shard, and layers use
 * it.
 */

import { Cluster } from 'ioredis'
import { describe, expect, it } from 'vitest'
import setNxInProgress from '../../../implementations/articles/003-set-nx-in-progress.ts'
import { judge } from '../../../src/check/index.ts'
import type { CreateContext, Implementation } from '../../../src/contract/api/implementation.ts'
import type { Outcome } from '../../../src/contract/api/message.ts'
import type { PlannedFault } from '../../../src/contract/api/plan.ts'
import { threeShards } from '../three-shards.ts'
import { done, nowMs, type Play, play, sleep } from '../world-lab.ts'

function onCluster(
  handle: (key: string, redis: Cluster, context: CreateContext) => Promise<Outcome>,
): Pick<Implementation, 'create'> {
  return {
    create(context) {
      const redis = new Cluster([...context.redis.nodes], { redisOptions: { commandTimeout: 500 } })
      redis.on('error', () => {})
      return { handle: ({ key }) => handle(key, redis, context), close: () => redis.disconnect() }
    },
  }
}

/**
 * Writes to keys of all shards every 100 ms. Returns the refused writes, and the time from which
 * all succeed again.
 */
async function written(faults: readonly PlannedFault[]) {
  const failedAtMs: number[] = []
  const adapter = onCluster(async (_, redis) => {
    const startMs = nowMs()
    while (nowMs() - startMs < 12_000) {
      for (const key of ['b', 'c', 'a']) await redis.incr(key).catch(() => failedAtMs.push(nowMs() - startMs))
      await sleep(100)
    }
    return done
  })
  return { failedAtMs, played: await play(adapter, { redis: threeShards, faults, visibilityMs: 60_000 }) }
}

const death = { kind: 'redis-restart', when: { at: 'time', ms: 1000 }, healAfterMs: 6000 } as const

describe('ioredis on a Cluster', () => {
  it('finds every shard', async () => {
    const { failedAtMs, played } = await written([])
    expect(failedAtMs).toEqual([])
    expect(played.unsupported).toEqual([])
    expect(played.of('topology').filter(({ what }) => what === 'promoted')).toEqual([])
  })

  it('follows the failover of a shard, and the old primary returns as a replica', async () => {
    const { failedAtMs, played } = await written([death])
    expect(played.unsupported).toEqual([])
    const topology = played.of('topology').filter(({ atUs }) => atUs > 0)
    const [promoted] = topology.filter(({ what }) => what === 'promoted')
    expect(promoted!.node).toMatch(/^redis-\db$/)
    expect(promoted!.other).toBe(promoted!.node.replace('b', 'a'))
    expect(topology.some(({ what, node }) => what === 'resynced' && node === promoted!.other)).toBe(true)
    expect(failedAtMs.length).toBeGreaterThan(0)
    expect(Math.max(...failedAtMs)).toBeLessThan(promoted!.atUs / 1000 + 3000)
  })
})

describe('a loss by the failover of a shard', () => {
  /** Checks, acts and marks on a Cluster, like the first pattern of article 001. */
  const naive = onCluster(async (key, redis, { sink }) => {
    if (await redis.get(`done:${key}`)) return done
    const receipt = await sink.perform({ key, payload: null })
    await redis.set(`done:${key}`, '1')
    return { status: 'done', result: receipt }
  })
  const cutOff = (from: string, healAfterMs: number): PlannedFault => {
    return {
      kind: 'machine-cut-off',
      when: { at: 'effect-applied', consumer: 0, nth: 1 },
      who: 'primary',
      which: 0,
      from,
      healAfterMs,
    }
  }
  const plan: Play = {
    redis: threeShards,
    visibilityMs: 60_000,
    messages: [0, 9000].map((publishAtMs) => message(publishAtMs)),
  }

  it('includes a mark that the primary acknowledged, and the effect is repeated', async () => {
    const played = await play(naive, { ...plan, faults: [cutOff('servers', 6000)] })
    const lost = played.of('data-lost').filter(({ acknowledged }) => acknowledged)
    expect(lost.map(({ cause }) => cause)).toEqual(['failover'])
    const [judged] = judge(played.history, ['at-most-once'])
    expect(judged!.verdict).toMatchObject({ verdict: 'violated' })
    expect(JSON.stringify(judged!.verdict)).toContain('repeat-after-loss')
  })

  it('is empty without a cut', async () => {
    const played = await play(naive, plan)
    expect(played.of('data-lost')).toEqual([])
    expect(judge(played.history, ['at-most-once'])[0]!.verdict).toMatchObject({ verdict: 'valid' })
  })
})

describe('the first strategy of article 003', () => {
  it('reaches every shard, and gives copies the same answer', async () => {
    const keys = ['b', 'c', 'a', 'a']
    const messages = keys.map((key, at) => ({ key, payload: { order: 1 }, publishAtMs: 500 * at }))
    const played = await play(setNxInProgress, { redis: threeShards, messages })
    expect(setNxInProgress.shapes).toContain('cluster')
    expect(played.of('effect-applied').map(({ key }) => key)).toEqual(['b', 'c', 'a'])
    expect(new Set(played.of('answered').map(({ outcome }) => outcome.status))).toEqual(new Set(['done']))
    const servers = played.of('command').flatMap(({ node }) => node ?? [])
    expect(new Set(servers)).toEqual(new Set(['redis-1a', 'redis-2a', 'redis-3a']))
  })
})

function message(publishAtMs: number) {
  return { key: 'order-1', payload: { order: 1 }, publishAtMs }
}
