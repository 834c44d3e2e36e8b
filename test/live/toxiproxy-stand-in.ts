/**
 * Accepts and records the requests of live runs to a Toxiproxy, for machines without one. Its links
 * carry bytes, and its toxics have no effect. As a program, it prints its URL.
 */
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { LoopbackProxy } from '../../src/live/proxy/loopback-proxy.ts'
import type { ProxiedLink } from '../../src/live/proxy/proxied-link.ts'

export async function startStandIn() {
  const proxy = new LoopbackProxy()
  const links = new Map<string, ProxiedLink>()
  const toxics = new Map<string, object>()
  const asked: string[] = []

  async function answer(method: string, path: string, body: Record<string, unknown>): Promise<[number, object?]> {
    const [, , name = '', , toxic] = path.split('/')
    if (path === '/version') return [200, { version: '2.12.0' }]
    if (path === '/proxies' && method === 'GET') return [200, Object.fromEntries(links)]
    if (path === '/proxies') {
      const [host = '', port] = String(body.upstream).split(':')
      const link = await proxy.openLink('', { host, port: Number(port) })
      links.set(String(body.name), link)
      return [201, { ...body, listen: `127.0.0.1:${link.port}`, toxics: [] }]
    }
    const link = links.get(name)
    if (link === undefined) return [404, { error: 'proxy not found', status: 404 }]
    if (path.endsWith('/toxics')) toxics.set(`${path}/${body.name}`, body)
    if (path.endsWith('/toxics')) return [200, body]
    if (toxic !== undefined) {
      const there = toxics.get(path)
      if (method === 'DELETE') toxics.delete(path)
      return there === undefined ? [404, { error: 'toxic not found', status: 404 }] : [200, there]
    }
    if (method === 'DELETE') {
      links.delete(name)
      await link.close()
      return [204]
    }
    await (body.enabled ? link.enable() : link.disable())
    return [200, { ...body, name, toxics: [] }]
  }

  const server = createServer(async (request, response) => {
    const text = await bodyOf(request)
    const { method = '', url = '' } = request
    if (method !== 'GET') asked.push(`${method} ${url} ${text}`.trim())
    const [status, json] = await answer(method, url, text === '' ? {} : JSON.parse(text))
    response.writeHead(status, { 'content-type': 'application/json' }).end(json && JSON.stringify(json))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** All requested changes. */
    asked,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await proxy.close()
    },
  }
}

export async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log((await startStandIn()).url)
