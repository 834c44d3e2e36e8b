import type { Redis } from 'ioredis'
import { epochMs } from 'virtual-node/kernel'
import { describe, expect, it } from 'vitest'
import { judge } from '../../../src/check/index.ts'
import type { CreateContext } from '../../../src/contract/api/implementation.ts'
import type { Message } from '../../../src/contract/api/message.ts'
import { shortestLeaseNote } from '../../../src/run/shortest-lease.ts'
import { done, layer, type Play, play } from '../world-lab.ts'

describe('produced-at times', () => {
  it('differ from that of the key by the offset of the plan, which the history records', async () => {
    const producedAts: number[] = []
    const noting = layer(({ producedAt }) => {
      producedAts.push(producedAt - epochMs)
      return done
    })
    const messages = [undefined, -400, 90_000].map((stampOffMs, at) => {
      return { key: 'k', payload: 1, publishAtMs: 100 + at, ...(stampOffMs === undefined ? {} : { stampOffMs }) }
    })
    const played = await play(noting, { messages })
    expect(producedAts.sort((a, b) => a - b)).toEqual([-300, 100, 90_100])
    expect(played.of('published').map(({ producedAtOffMs }) => producedAtOffMs)).toEqual([undefined, -400, 90_000])
    expect(played.history.header.faultFree).toBe(false)
    expect((await play(noting)).history.header.faultFree).toBe(true)
  })
})

describe('a layer with a minimum lease', () => {
  it('gets its minimum if the drawn lease is shorter, and the header has it', async () => {
    const leases: number[] = []
    const impatient = {
      create: ({ leaseMs }: CreateContext) => {
        leases.push(leaseMs)
        return { handle: async () => done }
      },
    }
    const header = async (minLeaseMs: number, leaseMs: number) =>
      (await play({ ...impatient, minLeaseMs }, { leaseMs })).history.header.leaseMs
    expect([await header(2000, 500), await header(2000, 3000), await header(1, 500)]).toEqual([2000, 3000, 500])
    expect(leases).toEqual([2000, 3000, 500])
    expect(shortestLeaseNote({ id: 'mine', minLeaseMs: 2000 })).toContain('leases of at least 2 s')
    expect(shortestLeaseNote({ id: 'mine' })).toBeNull()
  })
})

describe('lock events of a layer', () => {
  it('are in the history in order', async () => {
    const report = layer(({ key }, _, { lock }) => {
      lock.acquired(key)
      lock.renewed(key)
      lock.lost(key)
      return done
    })
    const { of } = await play(report)
    expect(of('lock').map(({ process, key, what }) => [process, key, what])).toEqual([
      ['consumer-1', 'order-1', 'acquired'],
      ['consumer-1', 'order-1', 'renewed'],
      ['consumer-1', 'order-1', 'lost'],
    ])
  })
})

/**
 * A lock with a lifetime, and a record of finished work. `renews`: the lock is renewed during the
 * effect.
 */
const locking = (renews: boolean) =>
  layer(async ({ key, payload }, redis, { leaseMs, sink, instanceId }) => {
    if ((await redis.set(`lock:${key}`, instanceId, 'PX', leaseMs, 'NX')) === null) return { status: 'retry' }
    const beat = renews ? setInterval(() => void redis.pexpire(`lock:${key}`, leaseMs), leaseMs / 3) : undefined
    try {
      const found = await redis.get(`done:${key}`)
      if (found !== null) return { status: 'done', result: JSON.parse(found) }
      const result = await sink.perform({ key, payload })
      await redis.set(`done:${key}`, JSON.stringify(result), 'PX', 600_000)
      return { status: 'done', result }
    } finally {
      clearInterval(beat)
      await redis.del(`lock:${key}`)
    }
  })

const violated = async (adapter: Parameters<typeof play>[0], options: Play) => {
  const { history } = await play(adapter, { redeliveryMs: 50, maxAttempts: 50, ...options })
  return ['at-most-once', 'same-result', 'no-lost-message', 'bounded-stall'].filter(
    (name) => judge(history, [name as 'at-most-once'])[0]!.verdict.verdict === 'violated',
  )
}

describe('a handler that works longer than the lease', () => {
  it('distinguishes a renewed lock from one that is not renewed', async () => {
    const slow = { consumers: 2, leaseMs: 400, visibilityMs: 500, work: { beforeMs: 1000, afterMs: 0 } }
    expect(await violated(locking(false), slow)).toContain('at-most-once')
    expect(await violated(locking(true), slow)).toEqual([])
    const quick = { ...slow, work: { beforeMs: 300, afterMs: 0 } }
    expect(await violated(locking(false), quick)).toEqual([])
  })
})

/** Stores the result, and answers copies with it if `isKept` accepts it. */
const keeping = (isKept: (result: unknown) => boolean) =>
  layer(async ({ key, payload }: Message, redis: Redis, { sink }) => {
    const found = await redis.get(key)
    if (found !== null && isKept(JSON.parse(found))) return { status: 'done', result: JSON.parse(found) }
    const result = (await sink.perform({ key, payload })) ?? null
    await redis.set(key, JSON.stringify(result), 'PX', 600_000)
    return { status: 'done', result }
  })

describe('results other than receipts', () => {
  const messages = [0, 500].map((publishAtMs) => ({ key: 'k', payload: 1, publishAtMs }))

  it.each(['nothing', 'null', 'false', 'zero', 'empty-text'] as const)(
    'reveal a layer that takes %s for "not done"',
    async (results) => {
      expect(await violated(keeping(Boolean), { messages, results })).toEqual(['at-most-once'])
      expect(await violated(keeping(Boolean), { messages })).toEqual([])
      expect(
        await violated(
          keeping(() => true),
          { messages, results },
        ),
      ).toEqual([])
    },
  )
})
