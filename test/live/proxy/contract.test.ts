import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ProxyServer, startProxyServer } from '../../../src/live/proxy/server.ts'
import { RealServer, realRedisInstalled } from '../../sim/redis/real-server.ts'
import { Bench, type Case } from './bench.ts'
import { cases } from './cases/index.ts'
import { lostCases } from './cases/lost.ts'
import { slowCases } from './cases/slow.ts'
import { seeded } from './seeded.ts'

describe.skipIf(!realRedisInstalled)('the built-in proxy, as Toxiproxy (needs redis-server)', () => {
  let redis: RealServer
  let server: ProxyServer

  beforeAll(async () => {
    redis = await RealServer.start()
    server = await startProxyServer({ port: 0, random: seeded(1) })
  })

  afterAll(async () => {
    await server.close()
    await redis.stop()
  })

  it.each(cases)('$name', async (one) => {
    const bench = new Bench(server.url, redis.port)
    try {
      await one.run(bench)
    } finally {
      await bench.end()
    }
  })

  it('a server whose toxics do nothing fails every case about bytes', async () => {
    const idle = await serveBehind(server.url, (toxic) => ({ ...toxic, type: 'noop' }))
    const passed = await passing(idle.url, [...lostCases, ...slowCases])
    await idle.close()
    expect(passed).toEqual([])
  })

  it('a server that takes one direction for the other fails the cases about lost requests and lost replies', async () => {
    const swapped = await serveBehind(server.url, ({ stream, ...toxic }) => ({
      ...toxic,
      stream: stream === 'upstream' ? 'downstream' : 'upstream',
    }))
    const about = lostCases.filter(({ name }) => /\bSET\b/.test(name))
    const passed = await passing(swapped.url, about)
    await swapped.close()
    expect(about).toHaveLength(3)
    expect(passed).toEqual([])
  })

  /** The names of those that pass three times: a machine that is late by itself looks like a toxic that works. */
  async function passing(url: string, some: readonly Case[]): Promise<string[]> {
    let names = some.map(({ name }) => name)
    for (let round = 0; round < 3; round++)
      names = await passingOnce(
        url,
        some.filter(({ name }) => names.includes(name)),
      )
    return names
  }

  /** Of those that pass within 5 s. */
  async function passingOnce(url: string, some: readonly Case[]): Promise<string[]> {
    const names = await Promise.all(
      some.map(async (one) => {
        const bench = new Bench(url, redis.port)
        const late = new Promise((_, reject) => setTimeout(() => reject(new Error('late')), 5000))
        const passed = await Promise.race([one.run(bench), late]).then(
          () => true,
          () => false,
        )
        await bench.end()
        return passed ? one.name : null
      }),
    )
    return names.filter((name) => name !== null)
  }
})

type Toxic = Readonly<Record<string, unknown>>

/** A server in front of another one, which creates other toxics than it is told to. */
async function serveBehind(url: string, distort: (toxic: Toxic) => Toxic) {
  const server = createServer(async (request, response) => {
    const text = await bodyOf(request)
    const creates = request.method === 'POST' && request.url!.endsWith('/toxics')
    const body = creates ? JSON.stringify(distort(JSON.parse(text))) : text
    const method = request.method!
    const answer = await fetch(url + request.url, method === 'GET' ? { method } : { method, body })
    response.writeHead(answer.status).end(await answer.text())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}
