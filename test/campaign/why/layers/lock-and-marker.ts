/**
 * A message has two keys: a lock, and a marker that says that it is done. It is wrong in three
 * ways: it looks at the marker before it has the lock, it deletes a lock whose owner it does not
 * compare, and a process may die between effect and marker.
 */
import { Redis } from 'ioredis'
import { defineImplementation } from '../../../../src/contract/api/implementation.ts'

export default defineImplementation({
  id: 'lock-and-marker',
  recoveryBoundMs: 60_000,
  lacks: ['stored-result', 'dead-lettering'],
  create({ redis, leaseMs, retentionMs, sink, instanceId }) {
    const client = new Redis({ ...redis.options, socketTimeout: 5000 })
    client.on('error', () => {})
    return {
      async handle({ key, payload }) {
        if ((await client.get(`done:${key}`)) !== null) return { status: 'done', result: null, resultKept: false }
        const lock = await client.set(`lock:${key}`, instanceId, 'PX', leaseMs, 'NX')
        if (lock === null) return { status: 'retry', reason: 'locked' }
        try {
          const result = await sink.perform({ key, payload })
          await client.set(`done:${key}`, '1', 'PX', 2 * retentionMs)
          return { status: 'done', result: result ?? null }
        } finally {
          await client.del(`lock:${key}`).catch(() => {})
        }
      },
      close: () => client.disconnect(),
    }
  },
})
