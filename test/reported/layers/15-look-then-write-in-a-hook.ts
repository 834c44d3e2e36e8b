/** Fastify: a hook looks for the key, and marks the request as in progress if the key is new. */
import Fastify from 'fastify'
import { defineHttpImplementation } from 'onceproof/http'
import { createClient } from 'redis4'
import { replyFor } from './parts/kept-reply.ts'

type Claim = (
  client: Pick<ReturnType<typeof createClient>, 'get' | 'set'>,
  name: string,
  mine: string,
  lifeMs: number,
) => Promise<string | null>

const layer = (id: string, claim: Claim) =>
  defineHttpImplementation({
    ...{ id, recoveryBoundMs: 60_000, shapes: ['single'], lacks: ['lease'] },
    async app({ redis, leaseMs, retentionMs, sink }) {
      const lifeMs = 2 * retentionMs
      const client = createClient({ url: redis.url })
      client.on('error', () => {})
      await client.connect()
      const app = Fastify()
      app.addHook('preHandler', async (request, reply) => {
        const name = `request:${request.headers['idempotency-key']}`
        const own = JSON.stringify(request.body)
        const found = await claim(client, name, JSON.stringify({ request: own }), lifeMs)
        if (found === null) return
        const { status, headers, body } = replyFor(found, own, lifeMs - (await client.pTTL(name)), leaseMs)
        return reply.code(status).headers(headers).type('application/json').send(JSON.stringify(body))
      })
      app.post<{ Body: { payload: never } }>('/', async (request, reply) => {
        const key = String(request.headers['idempotency-key'])
        const answer = { request: JSON.stringify(request.body), status: 201, body: null as unknown }
        try {
          answer.body = (await sink.perform({ key, payload: request.body.payload })) ?? null
        } catch (error) {
          answer.status = (error as Error).name === 'SinkRefusal' ? 402 : 500
          answer.body = { error: (error as Error).message }
        }
        await client.set(`request:${key}`, JSON.stringify(answer), { PX: lifeMs })
        if (answer.status === 500) reply.header('idempotent-replayed', 'true')
        return reply.code(answer.status).type('application/json').send(JSON.stringify(answer.body))
      })
      return app
    },
  })

export const bug = layer('look-then-write-in-a-hook', async (client, name, mine, lifeMs) => {
  const found = await client.get(name)
  if (found === null) await client.set(name, mine, { PX: lifeMs })
  return found
})

const claimed: Claim = async (client, name, mine, lifeMs) => {
  if ((await client.set(name, mine, { PX: lifeMs, NX: true })) === 'OK') return null
  return (await client.get(name)) ?? claimed(client, name, mine, lifeMs)
}
export const fix = layer('write-if-new-in-a-hook', claimed)
