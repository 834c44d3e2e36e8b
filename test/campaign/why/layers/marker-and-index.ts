/**
 * A marker for each message, and an index of the markers by time, by which every delivery removes
 * the old ones. It is wrong since the index says after a quarter of the retention that a marker is
 * old, and since the marker is a claim that an error takes back.
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
