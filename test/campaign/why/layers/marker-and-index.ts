/**
 * Each message has a marker, and an index lists the markers by time. Every delivery removes old
 * markers by the index. The layer has two mistakes: the index ages a marker after a quarter of the
 * retention, and the marker is a claim that an error removes.
 */
import { Redis } from 'ioredis'
import { defineImplementation } from '../../../../src/contract/api/implementation.ts'

export default defineImplementation({
  id: 'marker-and-index',
  recoveryBoundMs: 60_000,
  lacks: ['stored-result', 'dead-lettering', 'lease'],
  create({ redis, retentionMs, sink }) {
    const client = new Redis({ ...redis.options, socketTimeout: 5000 })
    client.on('error', () => {})
    return {
      async handle({ key, payload }) {
        const old = await client.zrangebyscore('markers', '-inf', Date.now() - retentionMs / 4)
        if (old.length > 0) {
          await client.del(...old)
          await client.zrem('markers', ...old)
        }
        const marker = `marker:${key}`
        if ((await client.set(marker, '1', 'NX')) === null) return { status: 'done', result: null, resultKept: false }
        await client.zadd('markers', Date.now(), marker)
        try {
          return { status: 'done', result: (await sink.perform({ key, payload })) ?? null }
        } catch (error) {
          await client.del(marker)
          throw error
        }
      },
      close: () => client.disconnect(),
    }
  },
})
