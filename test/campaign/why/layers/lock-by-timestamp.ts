/**
 * The lock holds its end time by the clock of its owner. Another process takes it over after
 * comparing that time with its own clock: SETNX, GET, GETSET. The layer breaks if clocks differ, or
 * if its holder works longer than the lease.
 */
import { Redis } from 'ioredis'
import { defineImplementation } from '../../../../src/contract/api/implementation.ts'

export default defineImplementation({
  id: 'lock-by-timestamp',
  recoveryBoundMs: 60_000,
  lacks: ['stored-result', 'dead-lettering'],
  create({ redis, leaseMs, retentionMs, sink }) {
    const client = new Redis({ ...redis.options, socketTimeout: 5000 })
    client.on('error', () => {})
    return {
      async handle({ key, payload }) {
        const lock = `lock:${key}`
        if ((await client.setnx(lock, String(Date.now() + leaseMs))) !== 1) {
          const until = await client.get(lock)
          if (until === 'done') return { status: 'done', result: null, resultKept: false }
          if (until !== null && Number(until) > Date.now()) return { status: 'retry', reason: 'locked' }
          const before = await client.getset(lock, String(Date.now() + leaseMs))
          if (before !== until) return { status: 'retry', reason: 'another was faster' }
        }
        const result = await sink.perform({ key, payload })
        await client.set(lock, 'done', 'PX', 2 * retentionMs)
        return { status: 'done', result: result ?? null }
      },
      close: () => client.disconnect(),
    }
  },
})
