/** Layers that leave something in Redis forever, and layers that limit it. */
import { Redis } from 'ioredis'
import { describe, expect, test } from 'vitest'
import { noImmortalKeys } from '../../../src/check/no-immortal-keys.ts'
import type { DeployContext } from '../../../src/contract/api/implementation.ts'
import type { Plan, RedisPlan } from '../../../src/contract/api/plan.ts'
import { kinds } from '../../check/kinds.ts'
import { done, layer, play } from '../world-lab.ts'

const messages = Array.from({ length: 4 }, (_, at) => ({
  key: `order-${at + 1}`,
  payload: { order: at + 1 },
  publishAtMs: at * 50,
}))

/** The verdict on a layer that does this with every message. */
async function verdictOn(leave: (redis: Redis, key: string) => Promise<unknown>, more: Partial<Plan> = {}) {
  const adapter = layer(async ({ key }, redis, { sink }) => {
    await sink.perform({ key, payload: null })
    await leave(redis, key)
    return done
  })
  return kinds(noImmortalKeys.judge((await play(adapter, { messages, record: false, ...more })).history))
}

const hashed = (key: string) => `${'0123456789abcdef'.repeat(2)}${key.length}${[...key].reverse().join('')}`

describe('data that grow with every message', () => {
  test.each<[string, (redis: Redis, key: string) => Promise<unknown>]>([
    ['a set', (redis, key) => redis.sadd('seen', key)],
    ['a hash', (redis, key) => redis.hset('results', key, '{}')],
    ['a set of hashed keys', (redis, key) => redis.sadd('seen', hashed(key))],
    ['a hash that a script fills', (redis, key) => redis.eval(`redis.call('HSET', KEYS[1], ARGV[1], 1)`, 1, 'h', key)],
  ])('%s', async (_, leave) => {
    expect(await verdictOn(leave)).toEqual(['grows-with-messages'])
  })

  test.each<[string, (redis: Redis, key: string) => Promise<unknown>]>([
    ['a set in a transaction', (redis, key) => redis.multi().sadd('seen', key).expire('seen', 60).exec()],
    ['a list that is trimmed', (redis, key) => redis.multi().lpush('recent', key).ltrim('recent', 0, 99).exec()],
    ['a stream with a length', (redis, key) => redis.xadd('log', 'MAXLEN', '~', 1000, '*', 'key', key)],
    [
      'a sorted set whose old entries are removed',
      async (redis, key) => {
        await redis.zadd('seen', Date.now(), key)
        await redis.zremrangebyscore('seen', 0, Date.now() - 3_600_000)
      },
    ],
    [
      'entries that are removed with their message',
      async (redis, key) => {
        await redis.sadd('under-way', key)
        await redis.srem('under-way', key)
      },
    ],
    ['counters', (redis) => redis.hincrby('statistics', 'done', 1)],
    ['one field that names the last message', (redis, key) => redis.hset('last', 'key', key)],
  ])('are valid for %s', async (_, leave) => {
    expect(await verdictOn(leave)).toBe('valid')
  })

  test.each<[string, (redis: Redis, key: string) => Promise<unknown>]>([
    ['a list, which may be trimmed beyond the length in the reply of RPUSH', (redis, key) => redis.rpush('log', key)],
    ['a sorted set, which may be trimmed sometimes', (redis, key) => redis.zadd('seen', Date.now(), key)],
    ['a stream, which may be trimmed sometimes', (redis, key) => redis.xadd('log', '*', 'key', key)],
    [
      'a list that receives from another one',
      async (redis, key) => {
        await redis.rpush('under-way', key)
        await redis.lmove('under-way', 'log', 'LEFT', 'RIGHT')
      },
    ],
    [
      'a hash that a timer sweeps, later than any run',
      async (redis, key) => {
        await redis.hset('results', key, '{}')
        setInterval(() => void redis.del('results'), 3_600_000)
      },
    ],
    [
      'a set that was scanned',
      async (redis, key) => {
        await redis.sadd('seen', key)
        await redis.sscan('seen', '0')
      },
    ],
  ])('are unknown for %s', async (_, leave) => {
    expect(await verdictOn(leave)).toBe('unknown')
  })

  test.each<[string, (redis: Redis, key: string) => Promise<unknown>]>([
    [
      'a timer that fired',
      async (redis, key) => {
        await redis.sadd('seen', key)
        await new Promise((resolve) => setTimeout(resolve, 5))
      },
    ],
    [
      'a timer that was cleared',
      async (redis, key) => {
        const timer = setTimeout(() => {}, 3_600_000)
        await redis.sadd('seen', key)
        clearTimeout(timer)
      },
    ],
  ])('are not swept by %s', async (_, leave) => {
    expect(await verdictOn(leave)).toEqual(['grows-with-messages'])
  })

  test('are unknown in a list that its script would trim if it were longer', async () => {
    const script = `redis.call('RPUSH', KEYS[1], ARGV[1])
      if redis.call('LLEN', KEYS[1]) > 100 then redis.call('LTRIM', KEYS[1], -100, -1) end`
    expect(await verdictOn((redis, key) => redis.eval(script, 1, 'recent', key))).toBe('unknown')
    const low = script.replaceAll('100', '2')
    expect(await verdictOn((redis, key) => redis.eval(low, 1, 'recent', key))).toBe('valid')
  })
})

test('a key that gets its expiry by a later command is judged at the end of the run', async () => {
  const later = async (redis: Redis, key: string) => {
    await redis.set(`state:${key}`, 'processing')
    await redis.set(`state:${key}`, 'done', 'EX', 60)
  }
  expect(await verdictOn(later)).toBe('valid')
  expect(await verdictOn((redis, key) => redis.set(`state:${key}`, 'processing'))).toEqual(['named-after-a-message'])
})

describe('data that a deployment leaves behind', () => {
  /**
   * The verdict on a layer that does `leave` with every message, after a deployment that did
   * `deploy`.
   */
  async function verdictAfter(
    deploy: (redis: Redis) => Promise<unknown>,
    leave: (redis: Redis, key: string) => Promise<unknown>,
  ) {
    const adapter = layer(async ({ key }, redis, { sink }) => {
      await sink.perform({ key, payload: null })
      await leave(redis, key)
      return done
    })
    const deployed = {
      ...adapter,
      async deploy({ redis: { options } }: DeployContext) {
        const redis = new Redis(options)
        await deploy(redis)
        redis.disconnect()
      },
    }
    return kinds(noImmortalKeys.judge((await play(deployed, { messages, record: false })).history))
  }
  const nothing = async () => {}
  const several = (count: number) => async (redis: Redis) => {
    for (let n = 1; n <= count; n++) await redis.set(`bucket:${n}`, 'open')
  }

  test.each([1, 4, 150])('are not counted: %d keys', async (count) => {
    expect(await verdictAfter(several(count), nothing)).toBe('valid')
    expect(await verdictAfter(several(count), (redis, key) => redis.set(`seen:${key}`, 1))).toEqual([
      'named-after-a-message',
    ])
  })

  test('do not hide other keys, which count only if there are as many as messages', async () => {
    expect(await verdictAfter(several(150), (redis) => redis.set('statistics', 1))).toBe('valid')
    const other = (redis: Redis, key: string) => redis.set(hashed(key), 1)
    expect(await verdictAfter(several(150), other)).toEqual(['as-many-as-keys'])
  })

  test('are not named after a later message', async () => {
    expect(await verdictAfter((redis) => redis.set('limits:order-1', 5), nothing)).toBe('valid')
    expect(await verdictAfter(nothing, (redis) => redis.set('limits:order-1', 5))).toEqual(['named-after-a-message'])
  })

  test('are not growth of their set, but additions of messages are', async () => {
    const seeded = (redis: Redis) => redis.sadd('seen', ...messages.map(({ key }) => hashed(key)), 'order-1', 'order-2')
    expect(await verdictAfter(seeded, nothing)).toBe('valid')
    expect(await verdictAfter(seeded, (redis, key) => redis.sadd('seen', `done:${key}`))).toEqual([
      'grows-with-messages',
    ])
  })

  test('do not count as trimmed if the deployment emptied them', async () => {
    expect(
      await verdictAfter(
        (redis) => redis.del('seen'),
        (redis, key) => redis.sadd('seen', key),
      ),
    ).toEqual(['grows-with-messages'])
  })
})

describe('keys of messages that the layer may delete later', () => {
  const named = (redis: Redis, key: string) => redis.set(`seen:${key}`, 1)

  test('are unknown if it listed the keys', async () => {
    expect(await verdictOn(named)).toEqual(['named-after-a-message'])
    expect(await verdictOn((redis, key) => named(redis, key).then(() => redis.scan('0')))).toBe('unknown')
  })

  test('are unknown if it listed the keys of a replica', async () => {
    const ofReplica = (ask: (replica: Redis) => Promise<unknown>) => async (redis: Redis, key: string) => {
      const replica = redis.duplicate({ role: 'slave' })
      await ask(replica)
      replica.disconnect()
      return named(redis, key)
    }
    const replicated: RedisPlan = {
      ...{ replicas: 1, sentinels: 3, downAfterMs: 500, failoverTimeoutMs: 5000, keeps: 'nothing' },
      ...{ minReplicasToWrite: 0, fullSyncMs: 0, loadingMs: 0 },
    }
    const verdictBy = (ask: (replica: Redis) => Promise<unknown>) => verdictOn(ofReplica(ask), { redis: replicated })
    expect(await verdictBy((replica) => replica.scan('0'))).toBe('unknown')
    expect(await verdictBy((replica) => replica.get('seen'))).toEqual(['named-after-a-message'])
  })

  const every = (ms: number) => (redis: Redis, key: string) => {
    setInterval(() => {}, ms)
    return named(redis, key)
  }

  test('are unknown while it has a timer of a minute or more', async () => {
    expect(await verdictOn(every(3_600_000))).toBe('unknown')
  })

  test('are immortal if its shorter timers have fired and deleted nothing, for which the run continues', async () => {
    expect(await verdictOn(every(100))).toEqual(['named-after-a-message'])
    expect(await verdictOn(every(30_000))).toEqual(['named-after-a-message'])
  })

  test('are unknown if other timers spent the event budget before, even if all messages were settled', async () => {
    const busy = (redis: Redis, key: string) => {
      setInterval(() => {}, 1)
      return every(59_000)(redis, key)
    }
    const adapter = layer(async ({ key }, redis, { sink }) => {
      await sink.perform({ key, payload: null })
      await busy(redis, key)
      return done
    })
    const { history } = await play(adapter, { messages, record: false })
    expect(history.events.at(-1)).toMatchObject({ type: 'ended', complete: true })
    expect(kinds(noImmortalKeys.judge(history))).toBe('unknown')
  })

  test('are immortal beside a timer that never fires because it is always restarted', async () => {
    const watched = (redis: Redis, key: string) => {
      const watch = () => {
        const late = setTimeout(() => {}, 6000)
        setTimeout(() => {
          clearTimeout(late)
          watch()
        }, 5000)
      }
      watch()
      return named(redis, key)
    }
    expect(await verdictOn(watched)).toEqual(['named-after-a-message'])
  })

  test('are deleted or scanned by a timer that first fires after the last message', async () => {
    const sweeping = (olderThanMs: number) => async (redis: Redis, key: string) => {
      setInterval(async () => {
        const old = await redis.zrangebyscore('index', 0, Date.now() - olderThanMs)
        if (old.length > 0)
          await redis
            .multi()
            .unlink(old)
            .zrem('index', ...old)
            .exec()
      }, 30_000)
      await redis.multi().set(`seen:${key}`, 1).zadd('index', Date.now(), `seen:${key}`).exec()
    }
    expect(await verdictOn(sweeping(1000))).toBe('valid')
    expect(await verdictOn(sweeping(86_400_000))).toBe('unknown')
  })

  const dayMs = 86_400_000
  test.each<[string, (redis: Redis, key: string) => Promise<unknown>]>([
    [
      'a sorted set by time',
      async (redis, key) => {
        const old = await redis.zrangebyscore('index', 0, Date.now() - dayMs)
        if (old.length > 0)
          await redis
            .multi()
            .unlink(old)
            .zrem('index', ...old)
            .exec()
        await redis.multi().set(`seen:${key}`, 1).zadd('index', Date.now(), `seen:${key}`).exec()
      },
    ],
    [
      'a list by number, in a script',
      (redis, key) => {
        const script = `redis.call('SET', KEYS[1], 1); redis.call('RPUSH', KEYS[2], ARGV[1])
          for _, old in ipairs(redis.call('LRANGE', KEYS[2], 0, -1001)) do redis.call('DEL', 'seen:' .. old) end`
        return redis.eval(script, 2, `seen:${key}`, 'index', key)
      },
    ],
    [
      'a stream',
      async (redis, key) => {
        await redis.set(`seen:${key}`, 1)
        await redis.xadd('index', '*', 'key', key)
        await redis.xrange('index', '-', String(Date.now() - dayMs))
      },
    ],
  ])('are unknown if it scans %s of them at each message', async (_, leave) => {
    expect(await verdictOn(leave)).toBe('unknown')
  })

  test.each<[string, (redis: Redis, key: string) => Promise<unknown>]>([
    ['that is never scanned', (redis, key) => redis.zadd('index', Date.now(), `seen:${key}`)],
    [
      'of other things',
      (redis) => redis.zadd('index', Date.now(), 'report').then(() => redis.zrange('index', '0', '-1')),
    ],
  ])('are immortal beside a list %s', async (_, leave) => {
    const both = (redis: Redis, key: string) => named(redis, key).then(() => leave(redis, key))
    expect(await verdictOn(both)).toEqual(['named-after-a-message'])
  })
})
