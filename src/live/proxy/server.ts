import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { formatAddress } from './address.ts'
import { type Answer, answer } from './api.ts'
import { Proxies } from './proxies.ts'
import type { Random } from './toxics/kind.ts'

/**
 * A TCP proxy that speaks Toxiproxy's HTTP API (2.x), for machines without Toxiproxy: `toxiproxy-node-client` and
 * every other client drives either.
 *
 * Fault model: the toxics latency, bandwidth, slow_close, timeout, reset_peer, slicer and limit_data, in either
 * direction, and proxies that are disabled. `test/live/proxy/contract.ts` puts the same suite to this one and to
 * Toxiproxy. Different on purpose: a `listen` without a host is loopback, not every interface; adding a toxic does not
 * disturb the ones before it; a `reset_peer` that is removed or changed while it waits resets at once; a slicer that
 * Toxiproxy would crash on (sizes that make no sense) cuts single bytes; an upstream that is no address is refused when
 * the proxy starts, not when a client comes; an empty list that is populated is answered by one, not by null.
 * Left out: metrics, a configuration file, Go's words for malformed JSON, field names in other letter case, and
 * anything but loopback for the API itself: whoever reaches it reaches every address of this machine.
 */
export interface ProxyServer {
  /** Of the HTTP API, without a slash at its end. */
  readonly url: string
  readonly port: number
  /** Nothing listens, and no socket is open, when it resolves. */
  close(): Promise<void>
}

/** More than any list of proxies; a body that is longer is nobody's. */
const bodyLimit = 1024 * 1024

/**
 * Resolves once it listens on loopback, on a free port with `port` 0. Rejects with the error of `listen`: EADDRINUSE,
 * EACCES, … `random` decides toxicity, jitter and slices.
 */
export async function startProxyServer(options: {
  readonly port: number
  readonly random: Random
}): Promise<ProxyServer> {
  const proxies = new Proxies(options.random)
  // One request at a time: a change of a chain of toxics takes more than one turn.
  let turn: Promise<unknown> = Promise.resolve()
  const server = createServer(async (request, response) => {
    const text = await readBody(request).catch(() => null)
    const current = turn.then(() => answerTo(proxies, request, text))
    turn = current
    const { status, body } = await current
    response.writeHead(status, body === undefined ? {} : { 'content-type': 'application/json' })
    response.end(body === undefined ? undefined : `${JSON.stringify(body)}\n`)
  })
  server.listen(options.port, '127.0.0.1')
  await once(server, 'listening')
  const { address, port } = server.address() as AddressInfo
  return {
    url: `http://${formatAddress({ host: address, port })}`,
    port,
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await turn
      await proxies.close()
      await closed
    },
  }
}

/** Pages in a browser are kept out, as Toxiproxy does: any site could reach a port of this machine through one. */
async function answerTo(proxies: Proxies, request: IncomingMessage, text: string | null): Promise<Answer> {
  if (text === null) return { status: 413 }
  if (request.headers['user-agent']?.startsWith('Mozilla/')) return { status: 403 }
  return answer(proxies, request.method ?? '', new URL(request.url ?? '/', 'http://localhost').pathname, text)
}

/** Null when it is too long. Rejects when the client goes away before its end. */
async function readBody(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request) {
    length += chunk.length
    if (length <= bodyLimit) chunks.push(chunk)
  }
  return length > bodyLimit ? null : Buffer.concat(chunks).toString('utf8')
}
