/**
 * A lock followed by WAIT, with ioredis's defaults: if a connection breaks before WAIT is answered,
 * ioredis reconnects, perhaps to a newly promoted server, and resends WAIT. Nothing was written on
 * the new connection, so WAIT counts every replica as up to date.
 */
import { Redis } from 'ioredis'
import { defineImplementation } from '../../src/contract/api/implementation.ts'

export default defineImplementation({
  id: 'canary-wait-on-defaults',
  about: 'Trusts WAIT with the default settings of ioredis, which retry it on a new connection.',
  expect: 'broken',
  lacks: ['lease', 'dead-lettering'],
  has: ['resent-wait'],
  hunt: {
    killedBy: ['redis-restart', 'slow-redis', 'machine-cut-off', 'crash', 'lost-reply', 'connection-reset'],
    scenarios: ['redis-failover'],
  },
  create({ redis, retentionMs, sink }) {
    const client = new Redis(redis.options)
    return {
      async handle({ key, payload }) {
        const lock = `lock:${key}`
        const locked = await client.set(lock, 'held', 'PX', retentionMs, 'NX')
        if (locked === null) {
          const stored = await client.get(lock)
          if (stored === null || stored === 'held') return { status: 'retry' }
          return { status: 'done', result: JSON.parse(stored) }
        }
        if ((await client.wait(redis.replicas ?? 0, 500)) < (redis.replicas ?? 0)) {
          await client.del(lock)
          return { status: 'retry' }
        }
        const receipt = await sink.perform({ key, payload })
        await client.set(lock, JSON.stringify(receipt), 'PX', retentionMs)
        return { status: 'done', result: receipt }
      },
      close: () => client.disconnect(),
    }
  },
})
