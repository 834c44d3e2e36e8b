/** Node without a framework, with the same marker. It listens on its own port. */
import http from 'node:http'
import { json } from 'node:stream/consumers'
import { Redis } from 'ioredis'
import { defineHttpImplementation } from 'onceproof/http'

export default defineHttpImplementation({
  id: 'marker-plain',
  about: 'A plain handler: a marker for the key before the effect, the reply kept in its place.',
  app({ redis, retentionMs, sink }) {
    const client = new Redis(redis.options)
    client.on('error', () => {})
    const server = http.createServer(async (request, response) => {
      const answer = (status: number, body: unknown, headers = {}) =>
        response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body))
      try {
        const { payload } = (await json(request)) as { payload: never }
        const key = String(request.headers['idempotency-key'])
        const taken = await client.set(`order:${key}`, 'begun', 'PX', retentionMs, 'NX')
        if (taken === null) {
          const kept = await client.get(`order:${key}`)
          if (kept === 'begun' || kept === null) return answer(409, { error: 'in progress' }, { 'Retry-After': '1' })
          return answer(201, JSON.parse(kept))
        }
        const receipt = (await sink.perform({ key, payload })) ?? null
        await client.set(`order:${key}`, JSON.stringify(receipt ?? null), 'PX', retentionMs)
        answer(201, receipt)
      } catch (error) {
        answer(500, { error: String(error) })
      }
    })
    return server.listen(3000)
  },
})
