import { Redis } from 'ioredis'
import { defineImplementation } from 'onceproof'

/** A layer with a lock that expires, and a mark that the work is done. */
export default defineImplementation({
  id: 'naive',
  create({ redis, instanceId, leaseMs, retentionMs, sink }) {
    const client = new Redis(redis.options)
    return {
      async handle({ key, payload }) {
        const stored = await client.get(`done:${key}`)
        if (stored !== null) return { status: 'done', result: JSON.parse(stored) }
        const locked = await client.set(`lock:${key}`, instanceId, 'PX', leaseMs, 'NX')
        if (locked === null) return { status: 'retry' }
        const receipt = await sink.perform({ key, payload })
        await client.set(`done:${key}`, JSON.stringify(receipt ?? null), 'PX', retentionMs)
        await client.del(`lock:${key}`)
        return { status: 'done', result: receipt }
      },
      close: () => client.disconnect(),
    }
  },
})
