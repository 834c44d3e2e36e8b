/**
 * Stands in front of the API of a Toxiproxy. It drops some orders and answers them as if they were
 * done.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { bodyOf } from '../toxiproxy-stand-in.ts'
import type { Order, Spoil } from './sabotage.ts'

export async function spoiled(toxiproxy: string, spoil: Spoil) {
  /** Toxics that exist only in answers, by path. */
  const pretended = new Map<string, object>()
  const kept: Order[] = []

  const pass = async ({ method, path, body }: Order): Promise<[number, string]> => {
    const sent = Object.keys(body).length === 0 ? {} : { body: JSON.stringify(body) }
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(`${toxiproxy}${path}`, { method, headers, ...sent })
    return [answer.status, await answer.text()]
  }

  const pretend = (order: Order): [number, string] => {
    kept.push(order)
    if (order.method === 'DELETE') return [204, '']
    const { name } = order.body
    if (name !== undefined) pretended.set(`${order.path}/${name}`, order.body)
    return [200, JSON.stringify({ name: order.path.split('/')[2], toxics: [], ...order.body })]
  }

  const answer = async (order: Order): Promise<[number, string]> => {
    const there = pretended.get(order.path)
    if (there !== undefined && order.method === 'DELETE') pretended.delete(order.path)
    if (there !== undefined) return order.method === 'DELETE' ? [204, ''] : [200, JSON.stringify(there)]
    const spoilt = order.method === 'GET' ? order : spoil(order)
    return spoilt === null ? pretend(order) : pass(spoilt)
  }

  const server = createServer(async (request, response) => {
    const text = await bodyOf(request)
    const { method = '', url: path = '' } = request
    const [status, said] = await answer({ method, path, body: text === '' ? {} : JSON.parse(text) })
    response.writeHead(status, { 'content-type': 'application/json' }).end(status === 204 ? undefined : said)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Also deletes the proxies whose deletion was dropped. */
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      for (const order of kept)
        if (/^\/proxies\/[^/]+$/.test(order.path) && order.method === 'DELETE') await pass(order)
    },
  }
}
