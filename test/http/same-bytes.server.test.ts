/** Compares simulated sockets with real ones: the same app receives and sends the same bytes. */
import { createRequire } from 'node:module'
import net from 'node:net'
import express from 'express'
import Fastify from 'fastify'
import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { Lab } from '../../packages/virtual-node/test/lab.ts'
import { exchange } from '../../src/http/exchange.ts'
import { addressOf, type HttpApp, handlerOf, serve } from '../../src/http/serve.ts'

// Loaded like in an adapter, `http` belongs to a simulated process.
createRequire(import.meta.url)('node:http')

const payment = { id: 'payment-1', note: 'caf\u00e9', lines: [1, null, false] }

/**
 * Each app answers POST / with the request body in parts, `/large` with 100 kB, and `/fails` with
 * its own error.
 */
const apps: Record<string, () => HttpApp> = {
  'a plain handler': () => (request, response) => {
    request.setEncoding('utf8')
    let body = ''
    request.on('data', (chunk) => (body += chunk))
    request.on('end', () => {
      response.writeHead(request.url === '/fails' ? 500 : 201, { 'Content-Type': 'application/json' })
      if (request.url === '/large') return response.end('x'.repeat(100_000))
      response.write(body.slice(0, 10))
      response.end(body.slice(10))
    })
  },
  Express: () => {
    const app = express()
    app.use(express.json())
    app.post('/', (request, response) => void response.status(201).location('/payments/1').json(request.body))
    app.post('/large', (_, response) => void response.send('x'.repeat(100_000)))
    app.post('/fails', (_, response) => void response.status(500).json({ error: 'as planned' }))
    app.use(((error: Error, _request, response, _next) => {
      response.status(400).json({ error: error.message })
    }) satisfies express.ErrorRequestHandler)
    return app
  },
  Fastify: () => {
    const app = Fastify()
    app.post('/', (request, reply) => reply.code(201).send(request.body))
    app.post('/large', (_, reply) => reply.send('x'.repeat(100_000)))
    app.post('/fails', () => Promise.reject(new Error('as planned')))
    return app
  },
  Hono: () => {
    const app = new Hono()
    app.post('/', async (context) => context.json(await context.req.json(), 201))
    app.post('/large', (context) => context.text('x'.repeat(100_000)))
    app.post('/fails', (context) => context.text('as planned', 500))
    app.onError((error, context) => context.text(error.message, 400))
    return app
  },
}

const body = JSON.stringify(payment)
const head = (path: string, more = '') =>
  `POST ${path} HTTP/1.1\r\nHost: api\r\nIdempotency-Key: order-1\r\nContent-Type: application/json\r\n${more}`
const length = `Content-Length: ${Buffer.byteLength(body)}\r\n`
const last = 'Connection: close\r\n'

/** The bytes that clients write, each on a separate connection. */
const conversations: readonly string[] = [
  `${head('/', length + last)}\r\n${body}`,
  // Two requests on one connection, then one in parts.
  `${head('/', length)}\r\n${body}${head('/fails', length)}\r\n${body}${head('/', `Transfer-Encoding: chunked\r\n${last}`)}\r\n5\r\n{"a":\r\n2\r\n1}\r\n0\r\n\r\n`,
  `${head('/large', length + last)}\r\n${body}`,
  `${head('/nowhere', length + last)}\r\n${body}`,
  `${head('/', `Content-Length: 3\r\n${last}`)}\r\n{a}`,
  'this is no HTTP\r\n\r\n',
]

const dated = (bytes: string) => bytes.replaceAll(/\r\nDate: [^\r]*/gi, '\r\nDate: then')

/** All bytes that come back on a connection. */
function said(at: { host: string; port: number }, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let got = ''
    const socket = net.connect(at, () => socket.write(bytes))
    socket.on('data', (data) => (got += data.toString('latin1')))
    socket.on('error', reject)
    socket.on('close', () => resolve(dated(got)))
  })
}

async function replies(app: HttpApp): Promise<string[]> {
  const server = await serve(app)
  const heard: string[] = []
  for (const bytes of conversations) heard.push(await said(addressOf(server), bytes))
  server.close()
  return heard
}

/** The result of `work` in a process. It must end. */
async function inProcess<T>(work: () => Promise<T>): Promise<T> {
  const lab = new Lab()
  const given: { value?: T; error?: unknown } = {}
  lab.start(() =>
    work().then(
      (value) => (given.value = value),
      (error) => (given.error = error),
    ),
  )
  await lab.run()
  expect([lab.deaths, lab.unsupportedThings, given.error]).toEqual([[], [], undefined])
  return given.value as T
}

describe('on real and simulated sockets,', () => {
  for (const [name, app] of Object.entries(apps))
    it(`${name} sends the same bytes for the same requests`, async () => {
      const real = await replies(app())
      // Created outside of the process. The modules that an app loads when it is created are
      // usually bundled, and Node's own loader waits for a thread.
      const made = app()
      const another = 'fetch' in made ? await handlerOf(made) : made
      expect(await inProcess(() => replies(another))).toEqual(real)
      expect(real[0]).toMatch(/^HTTP\/1\.1 201 Created\r\n/)
      expect(real[0]!.endsWith(Buffer.from(body).toString('latin1'))).toBe(name !== 'a plain handler')
      expect(real[1]!.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 201', 'HTTP/1.1 500', 'HTTP/1.1 201'])
      expect(real[2]!.length).toBeGreaterThan(100_000)
      expect(real[5]).toContain('400 Bad Request')
    })

  it('a different app sends different bytes', async () => {
    expect(await inProcess(() => replies(apps.Hono!()))).not.toEqual(await replies(apps.Express!()))
  })

  it('a client sends the same request', async () => {
    const recorded = async () => {
      let bytes = ''
      const server = net.createServer((socket) =>
        socket.on('data', (data) => {
          bytes += data.toString('latin1')
          socket.end('HTTP/1.1 409 Conflict\r\nContent-Length: 0\r\nConnection: close\r\n\r\n')
        }),
      )
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      const { port } = server.address() as net.AddressInfo
      const request = { method: 'POST', path: '/payments', headers: { 'Idempotency-Key': 'order-1' }, body }
      const { status } = await exchange({ host: '127.0.0.1', port }, request, 5000)
      server.close()
      return [status, bytes.replaceAll(String(port), 'port')]
    }
    const real = await recorded()
    expect(await inProcess(recorded)).toEqual(real)
    expect(real[1]).toContain('Idempotency-Key: order-1\r\n')
  })
})
