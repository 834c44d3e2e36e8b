/** A common mistake: it looks for a reply to the key, and stores the reply after it was sent. */
import express from 'express'
import { Redis } from 'ioredis'
import { defineHttpImplementation } from 'onceproof/http'

export default defineHttpImplementation({
  id: 'naive-express',
  about: 'Express: GET before the handler, SET after its reply.',
  expect: 'broken',
  app({ redis, retentionMs, sink }) {
    const client = new Redis(redis.options)
    client.on('error', () => {})
    const app = express()
    app.use(express.json())
    app.use(async (request, response, next) => {
      const key = `reply:${request.get('idempotency-key')}`
      const kept = await client.get(key)
      if (kept !== null) {
        const { status, body } = JSON.parse(kept)
        response.status(status).json(body)
        return
      }
      const json = response.json.bind(response)
      response.json = (body) => {
        if (response.statusCode < 500)
          void client.set(key, JSON.stringify({ status: response.statusCode, body }), 'PX', retentionMs).catch(() => {})
        return json(body)
      }
      next()
    })
    app.post('/', async (request, response) => {
      const receipt = await sink.perform({ key: request.get('idempotency-key')!, payload: request.body.payload })
      response.status(201).json(receipt ?? null)
    })
    return app
  },
})
