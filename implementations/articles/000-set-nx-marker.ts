/**
 * Article 000 ("Architecting Idempotent Consumers in Event-Driven Systems with Redis"), first
 * pattern, its block first_pass_idempotency.py: a marker set with NX before the effect, overwritten
 * after it, and deleted when the effect fails.
 *
 * What the article claims: atomic detection of duplicates. It names one flaw itself: if a consumer
 * crashes after the marker was set, its message is skipped for as long as the marker lives.
 * Limits: the marker lives for a day, whether PROCESSING or COMPLETED.
 * How it acknowledges: a consumer that finds the marker, in progress or completed, reports the
 * message as skipped. The article says that it is then lost, so it is acknowledged. A failed effect
 * deletes the marker and raises, so that the broker redelivers.
 * What differs: redis-py resends a command after a connection error (3 times by default in versions
 * 6 and 7, never before), ioredis up to 20 times.
 *
 * Decided here: "skipped" is `done` with the same object that the article's function returns for a
 * duplicate. Python's redis client sends `SET key value EX seconds NX`, and so does this. The broad
 * `except` covers the second SET too, as in the article.
 */
import { Redis } from 'ioredis'
import { defineImplementation } from '../../src/contract/api/implementation.ts'

/** The article's limit: a day. */
const markerSeconds = 24 * 60 * 60

export default defineImplementation({
  id: '000-set-nx-marker',
  about: 'A marker: SET NX before the effect, COMPLETED after it, DEL when it fails (article 000, first pattern).',
  expect: 'broken',
  serial: true,
  sinks: ['plain', 'keyed'],
  lacks: ['lease', 'stored-result', 'dead-lettering'],
  create({ redis, sink }) {
    const client = new Redis(redis.options)
    return {
      async handle(message) {
        const marker = `idempotency:v1:${message.key}`
        const isNew = await client.set(marker, 'PROCESSING', 'EX', markerSeconds, 'NX')
        if (!isNew) return { status: 'done', result: { status: 'skipped', reason: 'duplicate' } }
        try {
          const receipt = await sink.perform({ key: message.key, payload: message.payload })
          await client.set(marker, 'COMPLETED', 'EX', markerSeconds)
          return { status: 'done', result: receipt }
        } catch (error) {
          await client.del(marker)
          throw error
        }
      },
      close: () => client.disconnect(),
    }
  },
})
