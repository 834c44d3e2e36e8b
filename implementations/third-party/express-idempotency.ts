/**
 * Library: express-idempotency, express-idempotency-redis-adapter
 * Promises: a route behind the middleware answers a repeated key with the first response, inspired
 *   by Stripe.
 * Said in: the README of express-idempotency (1.0.6): introduction, "Determine a idempotency hit in
 *   route handler", "Response validator"; the README of its Redis adapter (1.0.8): "Options".
 * Used: the middleware and its Redis adapter with only the server as an option: header
 *   `Idempotency-Key`, `ttl` a day, responses with a code from 200 to 299 are kept. Requests reach
 *   an app of Express 5 by light-my-request, without a port. 409 is tried again later.
 * Left:
 * - copies, promised: a repeated key gets the first response (README, introduction), but the
 *   middleware reads the record and writes it in two steps, so two requests at once both pass.
 * - crash, beyond: a request whose process died is in progress until its record expires after
 *   `ttl`, a day (README of the adapter, "Options").
 * - pause, promised: a repeated key gets the first response (README, introduction), but a request
 *   that was paused between the two steps passes, too.
 * - loss, beyond: the record is kept in one Redis (README of the adapter, "Options"), which lost
 *   it.
 * - expiry, beyond: a record expires after `ttl`, a day (README of the adapter, "Options").
 */
import express, { type ErrorRequestHandler } from 'express'
import { getSharedIdempotencyService, type IIdempotencyDataAdapter, idempotency } from 'express-idempotency'
import redisAdapter from 'express-idempotency-redis-adapter'
import inject from 'light-my-request'
import { defineImplementation } from '../../src/contract/api/implementation.ts'
import type { Outcome } from '../../src/contract/api/message.ts'
import type { EffectResult } from '../../src/contract/api/sink.ts'

/** The body that the route sends, or the middleware's error handler. */
interface Body {
  readonly result?: EffectResult
  readonly error?: string
}

const day = 24 * 60 * 60 * 1000

export default defineImplementation({
  id: 'express-idempotency',
  about: 'A route behind the middleware express-idempotency, its records in Redis for a day.',
  shapes: ['single'],
  // A request without a response is in progress until its record expires.
  recoveryBoundMs: day,
  async create({ redis, sink }) {
    const dataAdapter = new redisAdapter.default({ connectionConfig: { url: redis.url } })
    await dataAdapter.connect()
    const app = express()
    app.use(express.json({ strict: false }))
    // The library's own adapter: under exact optional types, two declarations of `response` differ.
    app.use(idempotency({ dataAdapter: dataAdapter as IIdempotencyDataAdapter }))
    app.post('/orders', async (request, response) => {
      if (getSharedIdempotencyService().isHit(request)) return
      try {
        response.status(201).send({ result: await sink.perform(request.body) })
      } catch (error) {
        const { name, message } = error as Error
        response.status(name === 'SinkRefusal' ? 422 : 500).send({ error: message })
      }
    })
    const fails: ErrorRequestHandler = (error: Error, _request, response, _next) => {
      response.send({ error: error.message })
    }
    app.use(fails)
    return {
      async handle({ key, payload }) {
        const headers = { 'idempotency-key': key }
        const { statusCode, body } = await inject(app, {
          method: 'POST',
          url: '/orders',
          headers,
          payload: { key, payload },
        })
        return answerTo(statusCode, JSON.parse(body))
      },
      close: () => dataAdapter.disconnect(),
    }
  },
})

function answerTo(code: number, { result, error = '' }: Body): Outcome {
  if (code === 201) return { status: 'done', result }
  if (code === 422) return { status: 'refused', error }
  // The library uses 417 for a key that comes with another request.
  return code === 417 ? { status: 'dead-letter', reason: error } : { status: 'retry', reason: error }
}
