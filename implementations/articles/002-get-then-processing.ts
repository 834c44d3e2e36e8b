/**
 * Article 002 ("Advanced Idempotency Patterns for Kafka Consumers using Redis and Lua"), first
 * pattern, its block process_message_naive: GET, SET PROCESSING, effect, SET COMPLETED with the
 * result.
 * What the article claims: no advantage. It shows the gap between GET and SET, and the problem of a
 * PROCESSING whose consumer died.
 * Limits: PROCESSING for 5 minutes, COMPLETED for a day.
 * How it acknowledges: not defined. COMPLETED returns the stored result, PROCESSING returns
 * nothing, a failed effect deletes the key and raises. Here a raise means "not acknowledged",
 * because the article mentions the retry, and a normal return is a committed offset, as in Kafka;
 * `002-get-then-processing-nack-on-skip` redelivers a skipped message.
 * What differs: on a connection error redis-py 6 and 7 resend a command 3 times (earlier versions
 * never), ioredis up to 20 times.
 */
import { Redis } from 'ioredis'
import { defineImplementation, type Implementation } from '../../src/contract/api/implementation.ts'
import type { Outcome } from '../../src/contract/api/message.ts'

/** The article's limits: 5 minutes and a day. */
const processingSeconds = 300
const recordSeconds = 86_400

interface Variant {
  readonly id: string
  readonly about: string
  /** The outcome for a message whose key is PROCESSING. */
  readonly skipped: Outcome
  /** Default: a queue. */
  readonly broker?: 'partitions'
}

export function getThenProcessing({ id, about, skipped, broker }: Variant): Implementation {
  return defineImplementation({
    id,
    about,
    expect: 'broken',
    serial: true,
    ...(broker && { broker }),
    recoveryBoundMs: processingSeconds * 1000,
    sinks: ['plain', 'keyed'],
    lacks: ['dead-lettering'],
    create({ redis, sink }) {
      const client = new Redis(redis.options)
      return {
        async handle({ key, payload }) {
          const name = `idempotency:v1:${key}`
          const found = await client.get(name)
          if (found) {
            const stored = JSON.parse(found)
            if (stored.status === 'COMPLETED') return { status: 'done', result: stored.result }
            if (stored.status === 'PROCESSING') return skipped
          }
          await client.set(name, JSON.stringify({ status: 'PROCESSING' }), 'EX', processingSeconds)
          try {
            const receipt = await sink.perform({ key, payload })
            await client.set(name, JSON.stringify({ status: 'COMPLETED', result: receipt }), 'EX', recordSeconds)
            return { status: 'done', result: receipt }
          } catch (error) {
            await client.del(name)
            throw error
          }
        },
        close: () => client.disconnect(),
      }
    },
  })
}

export default getThenProcessing({
  id: '002-get-then-processing',
  about:
    'GET, SET PROCESSING, perform, SET the result; PROCESSING is skipped and acknowledged (article 002, first pattern).',
  skipped: { status: 'done', result: null },
})
