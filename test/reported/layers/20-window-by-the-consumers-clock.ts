/**
 * Keys are members of a sorted set. Each call removes the old ones, by the clock of the consumer.
 */
import type { Redis } from 'ioredis'
import type { Implementation } from '../../../src/contract/api/implementation.ts'
import { openClient } from './parts/locked.ts'

/** Null for the first call. Otherwise, the time since the first call. */
type Note = (client: Redis, key: string, windowMs: number) => Promise<number | null>

function layer(id: string, note: Note): Implementation {
  return {
    ...{ id, recoveryBoundMs: 60_000, lacks: ['lease'] },
    create({ redis, leaseMs, retentionMs, sink }) {
      const client = openClient(redis)
      const windowMs = 2 * retentionMs
      return {
        async handle({ key, payload }) {
          const of = JSON.stringify(payload)
          const ageMs = await note(client, key, windowMs)
          if (ageMs === null) {
            try {
              const result = (await sink.perform({ key, payload })) ?? null
              await client.set(`result:${key}`, JSON.stringify({ result, of }), 'PX', windowMs)
              return { status: 'done', result }
            } catch {
              return { status: 'dead-letter', reason: 'in-doubt' }
            }
          }
          const kept = await client.get(`result:${key}`)
          if (kept === null)
            return ageMs < 3 * leaseMs
              ? { status: 'retry', reason: 'at work' }
              : { status: 'dead-letter', reason: 'in-doubt' }
          const record = JSON.parse(kept)
          if (record.of !== of) return { status: 'dead-letter', reason: 'key-reused' }
          return { status: 'done', result: record.result }
        },
        close: () => client.disconnect(),
      }
    },
  }
}

export const bug = layer('window-by-the-consumers-clock', async (client, key, windowMs) => {
  const now = Date.now()
  await client.zremrangebyscore('seen', '-inf', now - windowMs)
  const added = await client.zadd('seen', 'NX', now, key)
  return added === 1 ? null : now - Number(await client.zscore('seen', key))
})

export const fix = layer('window-by-redis', async (client, key, windowMs) => {
  const first = await client.set(`seen:${key}`, '1', 'PX', windowMs, 'NX')
  return first === 'OK' ? null : windowMs - (await client.pttl(`seen:${key}`))
})
