/**
 * Article 004 ("Idempotency in Event-Driven Systems via Distributed Locks & Keys"), first pattern,
 * its block with NaiveIdempotentProcess: GET a result, perform, SET the result.
 *
 * What the article claims: no advantage. It says that two consumers act if both read before either
 * writes, and that a result which cannot be stored is a critical problem.
 * Limits: the result lives for a day.
 * How it acknowledges: after the effect, and when a result is found. It does not define errors (of
 * Redis or the effect): not acknowledged here; `004-naive-ack-on-error` acknowledges them.
 * What differs: go-redis resends a command 3 times and waits 3 s for each reply; ioredis resends up
 * to 20 times and waits without limit. The result is the receipt as JSON, not a string.
 */
import { Redis } from 'ioredis'
import { defineImplementation, type Implementation } from '../../src/contract/api/implementation.ts'
import type { Outcome } from '../../src/contract/api/message.ts'

/** The article's limit: a day. */
const resultSeconds = 24 * 60 * 60

interface Variant {
  readonly id: string
  readonly about: string
  /** The outcome for an error that the article's function returns. */
  readonly failed: (error: Error) => Outcome
}

export function naive({ id, about, failed }: Variant): Implementation {
  return defineImplementation({
    id,
    about,
    expect: 'broken',
    sinks: ['plain', 'keyed'],
    lacks: ['lease', 'dead-lettering'],
    create({ redis, sink }) {
      const client = new Redis(redis.options)
      return {
        async handle({ key, payload }) {
          try {
            const name = `idempotency:${key}`
            const found = await client.get(name)
            if (found !== null) return { status: 'done', result: JSON.parse(found) }
            const receipt = await sink.perform({ key, payload })
            await client.set(name, JSON.stringify(receipt ?? null), 'EX', resultSeconds)
            return { status: 'done', result: receipt }
          } catch (error) {
            return failed(error as Error)
          }
        },
        close: () => client.disconnect(),
      }
    },
  })
}

export default naive({
  id: '004-naive',
  about: 'GET a result, perform, SET the result; errors are delivered again (article 004, first pattern).',
  failed: ({ message }) => ({ status: 'retry', reason: message }),
})
