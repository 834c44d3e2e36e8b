/** Express: a middleware that lets a request through while Redis does not answer. */
import express from 'express'
import { Redis } from 'ioredis'
import { defineHttpImplementation } from 'onceproof/http'
import { replyFor } from './parts/kept-reply.ts'

const layer = (id: string, failsOpen: boolean) =>
  defineHttpImplementation({
    ...{ id, recoveryBoundMs: 60_000, lacks: ['lease', 'offline-queue'] },
    app({ redis, leaseMs, retentionMs, sink }) {
      const lifeMs = 2 * retentionMs
      const client = new Redis({ ...redis.options, maxRetriesPerRequest: 1, commandTimeout: 500 })
      client.on('error', () => {})
      const app = express().use(express.json())
      app.use(async (request, response, next) => {
        const name = `request:${request.get('idempotency-key')}`
        const own = JSON.stringify(request.body)
        try {
          const taken = await client.set(name, JSON.stringify({ request: own }), 'PX', lifeMs, 'NX')
          if (taken === null) {
            const kept = await client.get(name)
            if (kept === null) return void response.status(409).json({ error: 'ask again' })
            const { status, headers, body } = replyFor(kept, own, lifeMs - (await client.pttl(name)), leaseMs)
            return void response.status(status).set(headers).json(body)
          }
        } catch {
          if (!failsOpen) return void response.status(503).json({ error: 'no store' })
        }
        const send = response.json.bind(response)
        response.json = (body) => {
          const record = JSON.stringify({ request: own, status: response.statusCode, body })
          if (response.statusCode < 500) client.set(name, record, 'PX', lifeMs).catch(() => {})
          return send(body)
        }
        next()
      })
      app.post('/', async (request, response) => {
        const { payload } = request.body
        try {
          const receipt = await sink.perform({ key: request.get('idempotency-key')!, payload })
          response.status(201).json(receipt ?? null)
        } catch (error) {
          const { name, message } = error as Error
          if (name === 'SinkRefusal') response.status(402).json({ error: message })
          else response.status(500).set('Idempotent-Replayed', 'true').json({ error: 'unknown' })
        }
      })
      return app
    },
  })

export const bug = layer('middleware-that-fails-open', true)
export const fix = layer('middleware-that-fails-closed', false)
