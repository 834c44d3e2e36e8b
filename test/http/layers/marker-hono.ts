/** Hono, with the same marker. */
import { Hono } from 'hono'
import { Redis } from 'ioredis'
import { defineHttpImplementation } from 'onceproof/http'

export default defineHttpImplementation({
  id: 'marker-hono',
  about: 'Hono: a marker for the key before the effect, the reply kept in its place.',
  app({ redis, retentionMs, sink }) {
    const client = new Redis(redis.options)
    client.on('error', () => {})
    const app = new Hono()
    app.post('/', async (context) => {
      const key = context.req.header('idempotency-key')!
      const taken = await client.set(`order:${key}`, 'begun', 'PX', retentionMs, 'NX')
      if (taken === null) {
        const kept = await client.get(`order:${key}`)
        if (kept === 'begun' || kept === null)
          return context.json({ error: 'in progress' }, 409, { 'retry-after': '1' })
        return context.json(JSON.parse(kept), 201)
      }
      const { payload } = await context.req.json()
      const receipt = (await sink.perform({ key, payload })) ?? null
      await client.set(`order:${key}`, JSON.stringify(receipt ?? null), 'PX', retentionMs)
      return context.json(receipt, 201)
    })
    return app
  },
})
