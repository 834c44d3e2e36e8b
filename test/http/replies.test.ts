import type { IncomingMessage, ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import { describe, expect, it } from 'vitest'
import type { Outcome } from '../../src/contract/api/message.ts'
import { defineHttpImplementation, type HttpImplementation } from '../../src/http/index.ts'
import { type Play, play } from '../sim/world-lab.ts'

// Loaded like in an adapter, `http` belongs to a simulated process.
const http: typeof import('node:http') = createRequire(import.meta.url)('node:http')

type Respond = (request: IncomingMessage, response: ServerResponse, body: string) => void

interface Options extends Partial<HttpImplementation> {
  readonly plan?: Play
}

/** Plays a world of one message whose app only replies. Returns the result of each delivery. */
async function answersTo(respond: Respond, { plan, ...more }: Options = {}) {
  const implementation = defineHttpImplementation({
    id: 'by-hand',
    app: () => (request, response) => {
      let body = ''
      request.on('data', (chunk) => (body += chunk))
      request.on('end', () => respond(request, response, body))
    },
    ...more,
  })
  const played = await play(implementation, { maxAttempts: 2, ...plan })
  expect(played.unsupported).toEqual([])
  const answers = played.history.events.flatMap((event): (Outcome | string)[] =>
    event.type === 'answered' ? [event.outcome] : event.type === 'threw' ? [event.error] : [],
  )
  return { answers, played }
}

const first = async (respond: Respond, options: Options = {}) => (await answersTo(respond, options)).answers[0]

const status = (code: number, headers: Record<string, string> = {}, body = ''): Respond => {
  return (_, response) => response.writeHead(code, headers).end(body)
}

const json = { 'Content-Type': 'application/json' }

describe('a reply', () => {
  it('with a success status means done, with the body as result, and with its status and selected headers', async () => {
    const headers = { ...json, Location: '/orders/1', 'X-Trace': 'abc' }
    expect(await first(status(201, headers, '{"a":1}'))).toEqual({
      status: 'done',
      result: { a: 1 },
      reply: { status: 201, headers: { 'content-type': 'application/json', location: '/orders/1' } },
    })
    expect(await first(status(200, { 'X-Trace': 'abc' }, 'text'), { comparedHeaders: ['X-Trace'] })).toEqual({
      status: 'done',
      result: 'text',
      reply: { status: 200, headers: { 'x-trace': 'abc' } },
    })
  })

  it('without a body has the result null, and one with invalid JSON has its text', async () => {
    expect(await first(status(204))).toMatchObject({ status: 'done', result: null })
    expect(await first(status(200, json, 'false'))).toMatchObject({ result: false })
    expect(await first(status(200, { 'Content-Type': 'application/problem+json' }, '{}'))).toMatchObject({ result: {} })
    expect(await first(status(200, json, '{"a":'))).toMatchObject({ result: '{"a":' })
  })

  it('with a status for “not now” means retry', async () => {
    for (const code of [408, 409, 425, 429, 503]) expect(await first(status(code))).toEqual({ status: 'retry' })
  })

  it('for another payload of the key is dead-lettered, and any other 4xx means refused', async () => {
    expect(await first(status(422))).toEqual({ status: 'dead-letter', reason: 'key-reused' })
    expect(await first(status(402, json, '{"error":"declined"}'))).toEqual({
      status: 'refused',
      error: 'HTTP 402 {"error":"declined"}',
    })
    expect(await first(status(404))).toEqual({ status: 'refused', error: 'HTTP 404' })
  })

  it('with a server error does not settle the key, unless it is kept with the key', async () => {
    expect(await first(status(500, {}, 'oops'))).toBe('HttpFailure: HTTP 500 oops')
    expect(await first(status(302))).toBe('HttpFailure: HTTP 302')
    expect(await first(status(500, { 'Idempotent-Replayed': 'true' }, 'oops'))).toEqual({
      status: 'dead-letter',
      reason: "in-doubt: the key's reply is HTTP 500 oops",
    })
  })

  it('can be interpreted by the adapter, which may leave some replies to the default', async () => {
    const outcome: HttpImplementation['outcome'] = (reply, otherwise) =>
      reply.status === 202 ? { status: 'retry' } : otherwise()
    expect(await first(status(202), { outcome })).toEqual({ status: 'retry' })
    expect(await first(status(200), { outcome })).toMatchObject({ status: 'done' })
  })
})

describe('a client', () => {
  it('sends the same request for each delivery', async () => {
    const seen: unknown[] = []
    const message = { key: 'caf\u00e9 1%', payload: [0], publishAtMs: 0 }
    await answersTo(
      ({ method, url, headers }, response, body) => {
        seen.push([method, url, headers['idempotency-key'], headers['content-type'], body])
        response.writeHead(409).end()
      },
      { plan: { messages: [message] } },
    )
    const request = ['POST', '/', 'caf%C3%A9%201%25', 'application/json', '{"payload":[0]}']
    expect(seen).toEqual([request, request])
  })

  it('sends the request that the adapter makes of a message', async () => {
    const seen: unknown[] = []
    await answersTo(
      ({ method, url, headers }, response, body) => {
        seen.push([method, url, headers['idempotency-key'], headers['content-type'], body])
        response.end()
      },
      {
        request: ({ key }) => ({
          method: 'PUT',
          path: `/orders/${key}`,
          headers: { 'idempotency-key': `"${key}"`, 'content-type': 'text/plain' },
          body: 'as it is',
        }),
      },
    )
    expect(seen).toEqual([['PUT', '/orders/order-1', '"order-1"', 'text/plain', 'as it is']])
  })

  it('passes the decoded key of the header to the sink', async () => {
    const key = 'stra\u00dfe 100%'
    const { played } = await answersTo(() => {}, {
      plan: { messages: [{ key, payload: { a: 1 }, publishAtMs: 0 }] },
      app:
        ({ sink, lock }) =>
        async (request, response) => {
          const header = String(request.headers['idempotency-key'])
          lock.acquired(header)
          const receipt = await sink.perform({ key: header, payload: { a: 1 } })
          response.writeHead(200, json).end(JSON.stringify(receipt))
        },
    })
    expect(played.of('effect-applied').map((effect) => effect.key)).toEqual([key])
    expect(played.of('lock').map((news) => news.key)).toEqual([key])
    expect(played.of('settled')).toMatchObject([{ as: 'done' }])
  })

  it('obeys Retry-After in seconds or as a date, but waits no longer than for a reply', async () => {
    const askedAgainAfter = async (retryAfter: (nowMs: number) => string) => {
      const { played } = await answersTo(
        (_, response) => response.writeHead(503, { 'Retry-After': retryAfter(Date.now()) }).end(),
        { plan: { visibilityMs: 100_000 } },
      )
      const [one, two] = played.of('delivered')
      return Math.round((two!.atUs - one!.atUs) / 100_000) / 10
    }
    expect(await askedAgainAfter(() => '0')).toBe(0.1)
    expect(await askedAgainAfter(() => '2')).toBe(2.1)
    expect(await askedAgainAfter((nowMs) => new Date(nowMs + 5000).toUTCString())).toBeCloseTo(5.1, 0)
    expect(await askedAgainAfter(() => 'soon')).toBe(0.1)
    expect(await askedAgainAfter(() => '3600')).toBe(30.1)
  })

  it('gives up on an app that never replies, names it in the story, and closes the connection', async () => {
    let closed = 0
    const { answers } = await answersTo((_, response) => void response.on('close', () => closed++), { timeoutMs: 700 })
    expect(answers).toEqual(Array(2).fill('HttpTimeout: no reply to POST / within 700 ms'))
    expect(closed).toBe(2)
  })

  it('gives up on a reply that never ends, and reports the error of Node for a broken reply', async () => {
    const never: Respond = (_, response) => void response.write('half a ')
    expect(await first(never, { timeoutMs: 700 })).toBe('HttpTimeout: no reply to POST / within 700 ms')
    expect(await first((request) => request.socket.resetAndDestroy())).toBe('Error: read ECONNRESET')
    const breaks: Respond = (request, response) => {
      response.writeHead(200, { 'Content-Length': '10' }).write('half', () => request.socket.destroy())
    }
    expect(await first(breaks)).toMatch(/aborted/)
  })
})

describe('an app', () => {
  const failure = async (app: () => unknown) => {
    const { history } = await play(defineHttpImplementation({ id: 'by-hand', app: app as HttpImplementation['app'] }), {
      visibilityMs: 500,
    }).catch((error: Error) => ({ history: { events: [{ type: 'failed', error: error.message }] } }))
    const [ended] = history.events.filter(({ type }) => type === 'failed' || type === 'process-ended')
    return (ended as { error?: string } | undefined)?.error
  }

  it('is refused with the accepted shapes if its shape is unknown', async () => {
    for (const [app, reported] of [
      [undefined, 'undefined'],
      [null, 'null'],
      [42, '42'],
      [{ handle: 1, prefix: '/' }, 'an Object with handle, prefix'],
      [new Map(), 'a Map with no members'],
    ] as const)
      expect(await failure(() => app)).toContain(
        `\`app\` returned ${reported}; return a (request, response) function, an Express, Fastify or Hono app, or an http.Server`,
      )
  })

  it('must be declared by the adapter', async () => {
    const adapter = defineHttpImplementation({ id: 'by-hand' } as never)
    await expect(adapter.create({} as never)).rejects.toThrow('the adapter has no `app` function')
  })

  it('may listen by itself, on any address of its machine', async () => {
    for (const where of [[3000], [3000, 'localhost'], [0, '10.0.1.1'], [{ port: 80, host: '::' }]]) {
      const app = () => {
        const server = http.createServer((_, response) => response.end('here'))
        return Reflect.apply(server.listen, server, where)
      }
      expect(await first(() => {}, { app })).toMatchObject({ status: 'done', result: 'here' })
    }
  })

  it('prevents the creation of its layer if it throws or cannot listen', async () => {
    expect(await failure(() => Promise.reject(new Error('no configuration')))).toContain('no configuration')
    expect(await failure(() => http.createServer().listen(80, '203.0.113.7'))).toContain('EADDRNOTAVAIL')
    expect(await failure(() => http.createServer())).toContain('an http.Server that does not listen')
  })
})
