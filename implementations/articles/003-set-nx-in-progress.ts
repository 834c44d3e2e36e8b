/**
 * Article 003 ("Resilient Idempotency Layers for Asynchronous Messaging Systems"), its first
 * strategy, idempotent_redis: IN_PROGRESS set with NX for 5 seconds, the result for a day, deleted
 * when the effect fails. (Its other strategies: 003-postgres-skip-locked.ts, 003-dynamodb.ts.)
 * What the article claims: atomic reservation without the race of GET then SET; best for high
 * throughput if a failover may be slightly inconsistent. It says that Redis guarantees less after a
 * failure.
 * Limits: IN_PROGRESS for 5 seconds, the result for a day, under the bare idempotency key. The
 * article wants the 5 seconds longer than any processing: `003-set-nx-in-progress-lease` takes the
 * lease.
 * How it acknowledges: a completed key returns the stored answer; a key in progress, or one that
 * ended between SET and GET, raises and is redelivered; an error of the effect or of storing its
 * result deletes the key, even another consumer's, and raises.
 * What differs: redis-py resends a command after a connection error (3 times in versions 6 and 7,
 * never before), ioredis up to 20 times.
 * Decided here: the article's answer is a code and a body in JSON: 200, and the receipt.
 */
import { defineImplementation, type Implementation } from '../../src/contract/api/implementation.ts'
import { allShapes, clientOf } from '../parts/client-of.ts'

/** The article's limits: 5 seconds and a day. */
const lockSeconds = 5
const resultSeconds = 24 * 60 * 60

const inProgress = JSON.stringify({ status: 'IN_PROGRESS' })

interface Variant {
  readonly id: string
  readonly about: string
  /** How long IN_PROGRESS lives, in whole seconds; default: the article's 5 seconds. */
  readonly lockSecondsFor?: (leaseMs: number) => number
  readonly recoveryBoundMs: number
  /** How long a result lives; default: the article's day. */
  readonly keptSeconds?: number
}

export function setNxInProgress({
  id,
  about,
  lockSecondsFor,
  recoveryBoundMs,
  keptSeconds = resultSeconds,
}: Variant): Implementation {
  return defineImplementation({
    id,
    about,
    recoveryBoundMs,
    expect: 'broken',
    serial: true,
    sinks: ['plain', 'keyed'],
    // The article's absolute guarantees need a Cluster or Sentinels.
    shapes: allShapes,
    lacks: ['dead-lettering'],
    create({ redis, leaseMs, sink }) {
      const client = clientOf(redis)
      const seconds = lockSecondsFor?.(leaseMs) ?? lockSeconds
      return {
        async handle({ key, payload }) {
          const reserved = await client.set(key, inProgress, 'EX', seconds, 'NX')
          if (!reserved) {
            const found = await client.get(key)
            if (!found) return { status: 'retry', reason: 'the key ended between SET and GET' }
            const stored = JSON.parse(found)
            if (stored.status === 'IN_PROGRESS') return { status: 'retry', reason: 'the key is in progress' }
            if (stored.status === 'COMPLETED') return { status: 'done', result: JSON.parse(stored.response_body) }
          }
          try {
            const receipt = await sink.perform({ key, payload })
            const result = { status: 'COMPLETED', response_code: 200, response_body: JSON.stringify(receipt ?? null) }
            await client.set(key, JSON.stringify(result), 'EX', keptSeconds)
            return { status: 'done', result: receipt }
          } catch (error) {
            await client.del(key)
            throw error
          }
        },
        close: () => client.disconnect(),
      }
    },
  })
}

export default setNxInProgress({
  id: '003-set-nx-in-progress',
  about:
    'IN_PROGRESS by SET NX for 5 seconds, the result by a plain SET, DEL when it fails (article 003, Redis strategy).',
  recoveryBoundMs: lockSeconds * 1000,
})
