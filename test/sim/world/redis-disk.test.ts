import { describe, expect, it } from 'vitest'
import type { RedisPlan } from '../../../src/contract/api/plan.ts'
import { done, layer, nowMs, play, sleep } from '../world-lab.ts'

const alone: RedisPlan = {
  replicas: 0,
  sentinels: 0,
  downAfterMs: 1000,
  failoverTimeoutMs: 2000,
  keeps: 'nothing',
  minReplicasToWrite: 0,
  fullSyncMs: 0,
  loadingMs: 300,
}

/**
 * Keys are written at 100, 4500 and 4900 ms. The server dies at 4990 ms and restarts 100 ms later.
 */
async function kept(keeps: RedisPlan['keeps']) {
  const found: unknown[] = []
  const adapter = layer(async (_, redis) => {
    const startMs = nowMs()
    const until = (ms: number) => sleep(startMs + ms - nowMs())
    for (const [key, ms] of [
      ['early', 100],
      ['again', 4500],
      ['late', 4900],
    ] as const) {
      await until(ms)
      await redis.set(key, 1)
    }
    await until(7000)
    found.push(...(await redis.mget('early', 'again', 'late')))
    return done
  })
  const fault = { kind: 'redis-restart', when: { at: 'time', ms: 4990 }, healAfterMs: 100 } as const
  const played = await play(adapter, { redis: { ...alone, keeps }, faults: [fault], visibilityMs: 60_000 })
  expect(played.unsupported).toEqual([])
  return { found, lost: played.of('data-lost').map(({ cause, redisKeys }) => [cause, redisKeys]) }
}

describe('a server that died and restarted', () => {
  it('has no data without a disk', async () => {
    expect(await kept('nothing')).toEqual({
      found: [null, null, null],
      lost: [['restart', ['again', 'early', 'late']]],
    })
  })

  it('has its last snapshot', async () => {
    expect(await kept('snapshot')).toEqual({ found: ['1', '1', null], lost: [['restart', ['late']]] })
  })

  it('lacks the last second of its append-only file if that is synced every second', async () => {
    expect(await kept('aof-everysec')).toEqual({ found: ['1', '1', null], lost: [['restart', ['late']]] })
  })

  it('has all data if its append-only file is synced with every write', async () => {
    expect(await kept('aof-always')).toEqual({ found: ['1', '1', '1'], lost: [['restart', []]] })
  })
})

it('a flushed server has replicas that are empty, too', async () => {
  const counted: string[] = []
  const adapter = layer(async (_, redis) => {
    await redis.set('early', 1)
    await sleep(1000)
    counted.push(...(await redis.scan(0))[1])
    await redis.wait(1, 100)
    return done
  })
  const fault = { kind: 'redis-flushed', when: { at: 'time', ms: 500 } } as const
  const replicated = { ...alone, replicas: 1, sentinels: 3 }
  const killed = { kind: 'redis-restart', when: { at: 'time', ms: 2000 }, healAfterMs: 9000 } as const
  const played = await play(adapter, { redis: replicated, faults: [fault, killed], visibilityMs: 60_000 })
  expect(counted).toEqual([])
  // The promoted replica has the same data as the flushed primary, so the failover loses nothing.
  expect(played.of('data-lost').map(({ cause, redisKeys }) => [cause, redisKeys])).toEqual([['flush', ['early']]])
})
