/**
 * Express on the reference layer, with the statuses of the IETF draft and the header by which
 * Stripe marks a kept reply.
 */
import express from 'express'
import { defineHttpImplementation } from 'onceproof/http'
import { optionsOf, placeOf } from '../../../implementations/reference/parts/options.ts'
import { isSinkRefusal } from '../../../src/contract/api/sink.ts'
import { adopt, createOnce, type RunOutcome } from '../../../src/impl/once.ts'

export default defineHttpImplementation({
  id: 'once-express',
  about: 'Express on the reference: 201, 402 refused, 409 and 503 try again, 422 another payload, 500 in doubt.',
  expect: 'holds',
  recoveryBoundMs: 60_000,
  sinks: ['plain', 'keyed', 'fenced'],
  waitsForReplicas: true,
  lacks: ['offline-queue'],
  has: ['command-timeout', 'pipeline'],
  async deploy({ redis }) {
    const adopted = await adopt({ ...placeOf(redis), since: 0 })
    if (adopted.status !== 'adopted') throw new Error(`not adopted: ${adopted.status}`)
  },
  request: ({ payload, producedAt }) => ({ path: '/payments', body: { payload, producedAt } }),
  app(context) {
    const once = createOnce({ ...optionsOf(context), isRefusal: isSinkRefusal })
    const app = express()
    app.use(express.json())
    app.post('/payments', async (request, response) => {
      const key = request.get('idempotency-key')!
      const { payload, producedAt } = request.body
      const outcome = await once.run({ key, payload, producedAt }, ({ fence }) =>
        context.sink.perform({ key, payload, fence }),
      )
      answer(response, outcome)
    })
    return app
  },
})

function answer(response: express.Response, outcome: RunOutcome<unknown>): void {
  switch (outcome.status) {
    case 'done':
      response.status(201).json(outcome.result ?? null)
      return
    case 'refused':
      response.status(402).json({ error: outcome.error })
      return
    case 'conflict':
      response.status(422).json({ error: 'the key was used with another payload' })
      return
    case 'in-doubt':
      response.status(500).set('Idempotent-Replayed', 'true').json({ error: outcome.reason })
      return
    case 'retry':
      response
        .status(outcome.reason === 'held' ? 409 : 503)
        .set('Retry-After', String(Math.ceil(outcome.retryAfterMs / 1000)))
        .json({ error: outcome.reason })
  }
}
