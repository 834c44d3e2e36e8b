/**
 * A lock, and a hash with the state of the message. Under the lock, a running state counts as left
 * by a dead attempt. The layer breaks if the holder works longer than the lock lives, or if a
 * process dies between effect and state.
 */
import { randomUUID } from 'node:crypto'
import { Redis } from 'ioredis'
import { defineImplementation } from '../../../../src/contract/api/implementation.ts'

const release = `if redis.call('GET', KEYS[1]) == ARGV[1] then
  return redis.call('DEL', KEYS[1])
end
return 0`

export default defineImplementation({
  id: 'lock-and-field',
  recoveryBoundMs: 60_000,
  lacks: ['stored-result', 'dead-lettering'],
  create({ redis, leaseMs, retentionMs, sink }) {
    const client = new Redis({ ...redis.options, socketTimeout: 5000 })
    client.on('error', () => {})
    return {
      async handle({ key, payload }) {
        const owner = randomUUID()
        if ((await client.set(`lock:${key}`, owner, 'PX', leaseMs, 'NX')) === null)
          return { status: 'retry', reason: 'locked' }
        try {
          if ((await client.hget(`job:${key}`, 'state')) === 'done')
            return { status: 'done', result: null, resultKept: false }
          await client.hset(`job:${key}`, 'state', 'running')
          await client.pexpire(`job:${key}`, 2 * retentionMs)
          const result = await sink.perform({ key, payload })
          await client.hset(`job:${key}`, 'state', 'done')
          return { status: 'done', result: result ?? null }
        } finally {
          await client.eval(release, 1, `lock:${key}`, owner).catch(() => {})
        }
      },
      close: () => client.disconnect(),
    }
  },
})
