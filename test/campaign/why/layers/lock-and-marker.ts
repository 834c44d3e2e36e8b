/**
 * Each message has a lock and a marker of completion. The layer has three mistakes: it reads the
 * marker before it takes the lock, it deletes the lock without comparing its owner, and a process
 * may die between effect and marker.
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
