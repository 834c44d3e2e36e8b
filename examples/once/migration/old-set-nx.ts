/** An adapter for Onceproof: the consumers before the migration, with SET NX by hand. */
import { Redis } from 'ioredis'
import { defineImplementation } from 'onceproof'

export const markerOf = { prefix: 'by-hand:', lifeOf: (retentionMs: number) => 2 * retentionMs }

export default defineImplementation({
  id: 'old-set-nx',
  about: 'SET NX before the effect, and its result after it; a marker without a result is never taken over.',
  accepts: [
    { what: 'redis-data-loss', because: 'the marker is the only memory' },
    { what: 'asynchronous-failover', because: 'a replica may lack the marker' },
    { what: 'copies-after-retention', because: 'the marker ends after twice the retention' },
  ],
  recoveryBoundMs: 60_000,
  sinks: ['plain'],
  shapes: ['single'],
  lacks: ['lease'],
  create({ redis, leaseMs, retentionMs, sink }) {
    const client = new Redis({ ...redis.options, socketTimeout: 5000 })
    client.on('error', () => {})
    const lifeMs = markerOf.lifeOf(retentionMs)
    return {
      async handle({ key, payload }) {
        const name = markerOf.prefix + key
        if ((await client.set(name, 'started', 'PX', lifeMs, 'NX')) === 'OK') {
          const result = await sink.perform({ key, payload })
          await client.set(name, JSON.stringify(result ?? null), 'PX', lifeMs)
          return { status: 'done', result }
        }
        const [value, remainingMs] = await Promise.all([client.get(name), client.pttl(name)])
        if (value !== null && value !== 'started' && value !== 'once')
          return { status: 'done', result: JSON.parse(value) }
        if (lifeMs - remainingMs < 3 * leaseMs) return { status: 'retry', reason: 'another consumer has started' }
        return { status: 'dead-letter', reason: 'in-doubt: the consumer that started has told nothing' }
      },
      close: () => client.disconnect(),
    }
  },
})
