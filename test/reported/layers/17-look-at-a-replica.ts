/** It reads from a replica whether a key is done, and writes to the primary. */
import type { Redis } from 'ioredis'
import type { Implementation } from '../../../src/contract/api/implementation.ts'
import { openClient } from './parts/locked.ts'

function layer(id: string, asked: (primary: Redis, replica: Redis) => Redis): Implementation {
  return {
    ...{ id, recoveryBoundMs: 60_000, shapes: ['sentinel'], lacks: ['dead-lettering'] },
    create({ redis, leaseMs, retentionMs, sink }) {
      const primary = openClient(redis)
      const replica = openClient(redis, { role: 'slave' })
      return {
        async handle({ key, payload }) {
          const of = JSON.stringify(payload)
          if ((await primary.set(`lock:${key}`, 'taken', 'PX', leaseMs, 'NX')) === null)
            return { status: 'retry', reason: 'locked' }
          try {
            const kept = await asked(primary, replica).get(`done:${key}`)
            if (kept !== null) {
              const record = JSON.parse(kept)
              if (record.of !== of) return { status: 'dead-letter', reason: 'key-reused' }
              return { status: 'done', result: record.result }
            }
            const result = (await sink.perform({ key, payload })) ?? null
            await primary.set(`done:${key}`, JSON.stringify({ result, of }), 'PX', 2 * retentionMs)
            return { status: 'done', result }
          } finally {
            await primary.del(`lock:${key}`).catch(() => {})
          }
        },
        close() {
          primary.disconnect()
          replica.disconnect()
        },
      }
    },
  }
}

export const bug = layer('look-at-a-replica', (_, replica) => replica)
export const fix = layer('look-at-the-primary', (primary) => primary)
