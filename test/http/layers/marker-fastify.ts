/** Fastify, with a marker before the effect: SET NX, then the sink, then the reply. */
import Fastify from 'fastify'
import { Redis } from 'ioredis'
import { defineHttpImplementation } from 'onceproof/http'

export default defineHttpImplementation({
  id: 'marker-fastify',
  about: 'Fastify: a marker for the key before the effect, the reply kept in its place.',
  request: ({ key, payload }) => ({ path: `/orders/${encodeURIComponent(key)}`, body: { payload } }),
  app({ redis, retentionMs, sink }) {
    const client = new Redis(redis.options)
    client.on('error', () => {})
    const app = Fastify()
    app.post<{ Body: { payload: never } }>('/orders/:key', async (request, reply) => {
      const key = String(request.headers['idempotency-key'])
      const taken = await client.set(`order:${key}`, 'begun', 'PX', retentionMs, 'NX')
      if (taken === null) {
        const kept = await client.get(`order:${key}`)
        if (kept === 'begun' || kept === null)
          return reply.code(409).header('retry-after', '1').send({ error: 'in progress' })
        return reply.code(201).send(JSON.parse(kept))
      }
      const receipt = (await sink.perform({ key, payload: request.body.payload })) ?? null
      await client.set(`order:${key}`, JSON.stringify(receipt ?? null), 'PX', retentionMs)
      return reply
        .code(201)
        .header('content-type', 'application/json')
        .send(JSON.stringify(receipt ?? null))
    })
    return app
  },
})
