/**
 * Article 001 ("Idempotency Layers in Event-Driven Systems with Redis & Lua"), first pattern, its
 * block with naiveProcessMessage: check, act, mark.
 *
 * What the article claims: no advantage. It shows the pattern as the common first try, and says
 * that two consumers both act if they read before either has written.
 * Limits: the mark lives for a day.
 * How it acknowledges: a duplicate (the mark exists) is skipped and acknowledged; an error of the
 * effect or of Redis propagates, so that the broker redelivers.
 *
 * Decided here: the article deduplicates by its message id, so that is the idempotency key of the
 * contract. The mark is '1' and holds no result, so a skipped duplicate is `done` with null.
 * What differs: nothing, the article's client is ioredis; its defaults are kept.
 */
import { Redis } from 'ioredis'
import { defineImplementation } from '../../src/contract/api/implementation.ts'

/** The article's limit: a day. */
const markSeconds = 86_400

export default defineImplementation({
  id: '001-get-set',
  about: 'Check-then-act: GET a mark, perform the effect, SET the mark (article 001, first pattern).',
  expect: 'broken',
  sinks: ['plain', 'keyed'],
  lacks: ['lease', 'stored-result', 'dead-lettering'],
  create({ redis, sink }) {
    const client = new Redis(redis.options)
    return {
      async handle(message) {
        const mark = `idempotency:${message.key}`
        if (await client.get(mark)) return { status: 'done', result: null }
        const receipt = await sink.perform({ key: message.key, payload: message.payload })
        await client.set(mark, '1', 'EX', markSeconds)
        return { status: 'done', result: receipt }
      },
      close: () => client.disconnect(),
    }
  },
})
