/**
 * Article 001 ("Idempotency Layers in Event-Driven Systems with Redis & Lua"), second pattern, its
 * block with processMessageWithSetNX: PROCESSING for an hour, set with NX before the effect;
 * COMPLETED for a day after it; deleted when it fails.
 *
 * What the article claims: only one consumer gets the lock, so there is no race of check-then-act.
 * It names one flaw itself: a crash between lock and result stalls the message for the hour.
 * Limits: PROCESSING for an hour, COMPLETED for a day.
 * How it acknowledges: a consumer that finds the key, PROCESSING or COMPLETED, returns and so
 * acknowledges (the comment adds that a real system would look at the value). An error deletes the
 * key and is thrown, and the message is redelivered.
 * What differs: nothing, the article's client is ioredis; its defaults are kept.
 *
 * Decided here: the contract's messages name no producer, so the key has a fixed name instead. The
 * article deduplicates by message id, which is the contract's idempotency key. Only the state is
 * stored, so a duplicate is `done` with null. The `catch` covers the second SET, as in the article.
 */
import { Redis } from 'ioredis'
import { defineImplementation } from '../../src/contract/api/implementation.ts'

/** The article's limits: an hour and a day. */
const lockSeconds = 3600
const recordSeconds = 86_400

export default defineImplementation({
  id: '001-set-nx-delete',
  about: 'A lock of an hour: SET NX before the effect, COMPLETED after it, DEL when it fails (article 001, second).',
  expect: 'broken',
  sinks: ['plain', 'keyed'],
  lacks: ['stored-result', 'dead-lettering'],
  create({ redis, sink }) {
    const client = new Redis(redis.options)
    return {
      async handle(message) {
        const name = `idempotency:v1:producer:${message.key}`
        const locked = await client.set(name, 'PROCESSING', 'EX', lockSeconds, 'NX')
        if (!locked) return { status: 'done', result: null }
        try {
          const receipt = await sink.perform({ key: message.key, payload: message.payload })
          await client.set(name, 'COMPLETED', 'EX', recordSeconds)
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
