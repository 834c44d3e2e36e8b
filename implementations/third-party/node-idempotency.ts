/**
 * Library: @node-idempotency/core, @node-idempotency/storage-adapter-redis
 * Promises: each request of a key is processed once, without races; duplicates get the first
 *   response, and an error while the first request is outstanding.
 * Said in: the README of @node-idempotency/core (1.0.11): "Why?", "usage".
 * Used: `onRequest` and `onResponse` around the effect, with the library's Redis storage;
 *   `cacheTTLMS` a day, no waiting for a request in progress. A response is kept even if it is an
 *   error, as in the README: such a message is dead-lettered.
 * Left:
 * - crash, beyond: the README requires a call of `onResponse` (README, "usage"), which a dead process
 *   does not make. Its request is outstanding for a day, then the record expires and the effect
 *   happens again.
 * - loss, beyond: the flow needs a storage adapter that keeps its records (README, "usage"), and
 *   this one lost them.
 * - expiry, beyond: a record expires after `cacheTTLMS`, a day; a later duplicate is a new request.
 */
import { Idempotency, IdempotencyError, IdempotencyErrorCodes, type IdempotencyResponse } from '@node-idempotency/core'
import { RedisStorageAdapter } from '@node-idempotency/storage-adapter-redis'
import { defineImplementation } from '../../src/contract/api/implementation.ts'
import type { Outcome } from '../../src/contract/api/message.ts'
import type { EffectResult } from '../../src/contract/api/sink.ts'

/** The body of a response. */
interface Reply {
  readonly result?: EffectResult
}

const day = 24 * 60 * 60 * 1000

export default defineImplementation({
  id: 'node-idempotency',
  about: '@node-idempotency/core around a request with the key in its header, its records in Redis for a day.',
  shapes: ['single'],
  // A request without a response is outstanding until its record expires.
  recoveryBoundMs: day,
  async create({ redis, sink }) {
    const storage = new RedisStorageAdapter({ url: redis.url })
    await storage.connect()
    const idempotency = new Idempotency(storage)
    return {
      async handle({ key, payload }): Promise<Outcome> {
        const request = { method: 'POST', path: '/orders', headers: { 'idempotency-key': key }, body: { payload } }
        try {
          const kept = await idempotency.onRequest<Reply, string>(request)
          if (kept !== undefined) return answerTo(kept)
        } catch (error) {
          if (error instanceof IdempotencyError) return answerToProblem(error)
          throw error
        }
        const response = await sink.perform({ key, payload }).then(
          (result) => ({ body: { result }, additional: { status: 201 } }),
          ({ name, message }: Error) => ({
            error: message,
            additional: { status: name === 'SinkRefusal' ? 422 : 500 },
          }),
        )
        await idempotency.onResponse<Reply, string>(request, response)
        return answerTo(response)
      },
      close: () => storage.disconnect(),
    }
  },
})

/** Every response is kept, good or bad: a request of that key is not tried again. */
function answerTo({ body, error, additional }: IdempotencyResponse<Reply, string>): Outcome {
  if (additional?.status === 422) return { status: 'refused', error: error ?? '' }
  if (error !== undefined) return { status: 'dead-letter', reason: `in-doubt: ${error}` }
  return { status: 'done', result: body?.result }
}

function answerToProblem({ code, message }: IdempotencyError): Outcome {
  if (code === IdempotencyErrorCodes.REQUEST_IN_PROGRESS) return { status: 'retry', reason: message }
  return { status: 'dead-letter', reason: message }
}
