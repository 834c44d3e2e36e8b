/** Layers that leave something in Redis for ever, beside those that keep it short. */
import type { Redis } from 'ioredis'
import { describe, expect, test } from 'vitest'
import { noImmortalKeys } from '../../../src/check/no-immortal-keys.ts'
import { kinds } from '../../check/kinds.ts'
import { done, layer, play } from '../world-lab.ts'

const messages = Array.from({ length: 4 }, (_, at) => ({
  key: `order-${at + 1}`,
  payload: { order: at + 1 },
  publishAtMs: at * 50,
}))

/** The verdict on a layer that does that with every message. */
async function verdictOn(leave: (redis: Redis, key: string) => Promise<unknown>) {
  const adapter = layer(async ({ key }, redis, { sink }) => {
    await sink.perform({ key, payload: null })
    await leave(redis, key)
    return done
  })
  return kinds(noImmortalKeys.judge((await play(adapter, { messages, record: false })).history))
}

const hashed = (key: string) => `${'0123456789abcdef'.repeat(2)}${key.length}${[...key].reverse().join('')}`

describe('what grows with every message', () => {
  test.each<[string, (redis: Redis, key: string) => Promise<unknown>]>([
    ['a set', (redis, key) => redis.sadd('seen', key)],
    ['a hash', (redis, key) => redis.hset('results', key, '{}')],
    ['a list', (redis, key) => redis.rpush('log', JSON.stringify({ key }))],
    ['a sorted set', (redis, key) => redis.zadd('seen', Date.now(), key)],
    ['a stream', (redis, key) => redis.xadd('log', '*', 'key', key)],
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
      'a sorted set whose old entries go',
      async (redis, key) => {
        await redis.zadd('seen', Date.now(), key)
        await redis.zremrangebyscore('seen', 0, Date.now() - 3_600_000)
      },
    ],
    [
      'entries that go when their message is done',
      async (redis, key) => {
        await redis.sadd('under-way', key)
        await redis.srem('under-way', key)
      },
    ],
    ['counters', (redis) => redis.hincrby('statistics', 'done', 1)],
    ['one field that names the last message', (redis, key) => redis.hset('last', 'key', key)],
  ])('but for %s', async (_, leave) => {
    expect(await verdictOn(leave)).toBe('valid')
  })

  test('a list that its script would trim if it were longer is unknown', async () => {
    const script = `redis.call('RPUSH', KEYS[1], ARGV[1])
      if redis.call('LLEN', KEYS[1]) > 100 then redis.call('LTRIM', KEYS[1], -100, -1) end`
    expect(await verdictOn((redis, key) => redis.eval(script, 1, 'recent', key))).toBe('unknown')
    const low = script.replaceAll('100', '2')
    expect(await verdictOn((redis, key) => redis.eval(low, 1, 'recent', key))).toBe('valid')
  })
})

test('a key that gets its expiry by a later command is nothing yet: what a run leaves behind is judged', async () => {
  const later = async (redis: Redis, key: string) => {
    await redis.set(`state:${key}`, 'processing')
    await redis.set(`state:${key}`, 'done', 'EX', 60)
  }
  expect(await verdictOn(later)).toBe('valid')
  expect(await verdictOn((redis, key) => redis.set(`state:${key}`, 'processing'))).toEqual(['named-after-a-message'])
})
