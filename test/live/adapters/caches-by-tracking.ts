/**
 * Sets a mark if it is missing and reads it back, on a client with a cache (RESP3, CLIENT
 * TRACKING).
 */
import { createClient } from 'redis'
import { defineImplementation } from '../../../src/contract/api/implementation.ts'

export default defineImplementation({
  id: 'caches-by-tracking',
  about: 'GET, SET NX and GET again, through a client-side cache.',
  async create({ redis, instanceId, retentionMs, sink }) {
    const client = createClient({ url: redis.url, RESP: 3, clientSideCache: { maxEntries: 100, ttl: 0 } })
    client.on('error', () => {})
    await client.connect()
    return {
      async handle({ key, payload }) {
        const mark = `mark:${key}`
        if ((await client.get(mark)) !== null) return { status: 'dead-letter', reason: 'in-doubt' }
        await client.set(mark, instanceId, { condition: 'NX', expiration: { type: 'PX', value: retentionMs } })
        // The SET has invalidated the cache.
        if ((await client.get(mark)) !== instanceId) return { status: 'retry' }
        return { status: 'done', result: await sink.perform({ key, payload }) }
      },
      close: () => client.destroy(),
    }
  },
})
