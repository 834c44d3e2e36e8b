/** Several independent servers, each with its own data, faults and clock. */

import fc from 'fast-check'
import { Redis } from 'ioredis'
import { describe, expect, it } from 'vitest'
import type { Implementation } from '../../../src/contract/api/implementation.ts'
import type { PlannedFault, RedisPlan } from '../../../src/contract/api/plan.ts'
import { independentRedis } from '../../../src/sim/plans/redis-plan.ts'
import { done, type Play, play, sleep } from '../world-lab.ts'

const five = fc.sample(independentRedis({ keeps: fc.constant('nothing') }), 1)[0]!

/** Sets a key for a minute on each server, waits, and reads it from each. */
async function asked(faults: readonly PlannedFault[], redis: RedisPlan = five, more: Play = {}) {
  const found: (string | null)[] = []
  const adapter: Pick<Implementation, 'create'> = {
    create({ redis }) {
      const clients = redis.nodes.map((node) => new Redis({ ...node, maxRetriesPerRequest: 1 }))
      for (const client of clients) client.on('error', () => {})
      return {
        async handle() {
          for (const [at, client] of clients.entries()) await client.set('key', `on ${at + 1}`, 'PX', 60_000)
          await sleep(2000)
          for (const client of clients) found.push(await client.get('key').catch(() => 'no answer'))
          return done
        },
        close: () => {
          for (const client of clients) client.disconnect()
        },
      }
    },
  }
  const played = await play(adapter, { redis, faults, visibilityMs: 60_000, ...more })
  return { found, played }
}

const when = { at: 'time', ms: 1000 } as const
const all = ['on 1', 'on 2', 'on 3', 'on 4', 'on 5']
const without = (answer: string | null) => [...all.slice(0, 2), answer, ...all.slice(3)]

describe('several independent servers', () => {
  it('each keep their own data only', async () => {
    const { found, played } = await asked([])
    expect(found).toEqual(all)
    expect(played.unsupported).toEqual([])
    expect(played.of('topology')).toEqual([])
  })

  it('lose the server of the fault for good', async () => {
    const { found, played } = await asked([{ kind: 'redis-restart', server: 3, when }])
    expect(found).toEqual(without('no answer'))
    expect(played.of('data-lost')).toMatchObject([{ node: 'redis-3', cause: 'restart', redisKeys: ['key'] }])
    expect(played.of('fault-struck')).toMatchObject([{ node: 'redis-3', sentence: 'redis-3 dies with all its data' }])
    expect(played.of('fault-healed')).toEqual([])
  })

  it('include one that restarts empty, or with the data of its disk', async () => {
    const restart = { kind: 'redis-restart', server: 3, when, healAfterMs: 10 }
    const empty = await asked([restart])
    expect(empty.found).toEqual(without(null))
    expect(empty.played.of('fault-healed')).toMatchObject([{ sentence: 'redis-3 is back, empty' }])
    const kept = await asked([restart], { ...five, keeps: 'aof-always' })
    expect(kept.found).toEqual(all)
  })

  it('have a clock each', async () => {
    const { found, played } = await asked([{ kind: 'clock-step', machine: -3, byMs: 120_000, when }])
    expect(found).toEqual(without(null))
    expect(played.of('data-lost')).toMatchObject([{ node: 'redis-3', cause: 'expiry' }])
    expect(played.of('fault-struck')).toMatchObject([{ sentence: 'the clock of redis-3 jumps 2 min forward' }])
  })

  it('are not struck by a fault of a missing server', async () => {
    const { found, played } = await asked([{ kind: 'redis-restart', server: 6, when }])
    expect(found).toEqual(all)
    expect(played.unstruck).toEqual([{ kind: 'redis-restart', cameUp: true }])
  })
})
