/**
 * One sorted set has the leases with their end times as scores, another one the finished keys. The
 * layer breaks if clocks differ, if a holder works longer than its lease, or if two attempts take
 * over the same expired lease.
 */
import { Redis } from 'ioredis'
import { defineImplementation } from '../../../../src/contract/api/implementation.ts'

export default defineImplementation({
  id: 'lease-in-sorted-set',
  recoveryBoundMs: 60_000,
  lacks: ['stored-result', 'dead-lettering'],
  create({ redis, leaseMs, sink }) {
    const client = new Redis({ ...redis.options, socketTimeout: 5000 })
    client.on('error', () => {})
    return {
      async handle({ key, payload }) {
        if ((await client.zadd('leases', 'NX', Date.now() + leaseMs, key)) === 0) {
          const until = await client.zscore('leases', key)
          if (until !== null && Number(until) > Date.now()) return { status: 'retry', reason: 'leased' }
          await client.zadd('leases', Date.now() + leaseMs, key)
        }
        if ((await client.zscore('done', key)) !== null) {
          await client.zrem('leases', key)
          return { status: 'done', result: null, resultKept: false }
        }
        const result = await sink.perform({ key, payload })
        await client.zadd('done', Date.now(), key)
        await client.zrem('leases', key)
        return { status: 'done', result: result ?? null }
      },
      close: () => client.disconnect(),
    }
  },
})
