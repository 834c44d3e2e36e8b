/** What a case of the contract suite works with: the server under test, upstream servers of its own, and lines to them. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import net, { type AddressInfo, type Server, type Socket } from 'node:net'
import { Redis } from 'ioredis'
import { type Proxy as ClientProxy, type ICreateToxicBody, type Toxic, Toxiproxy } from 'toxiproxy-node-client'
import { Line } from './line.ts'

/** Something that Toxiproxy is documented to do. */
export interface Case {
  readonly name: string
  /** Where Toxiproxy's documentation or source (2.12) says so. */
  readonly cites: string
  run(bench: Bench): Promise<void>
}

let proxiesMade = 0

/** One case's; everything that it opened is gone after `end`. */
export class Bench {
  readonly toxiproxy: Toxiproxy
  private readonly open: (() => unknown)[] = []

  /** `redisPort`: of a real redis-server on loopback. */
  constructor(
    readonly url: string,
    readonly redisPort: number,
  ) {
    this.toxiproxy = new Toxiproxy(url)
  }

  /** A name that no other case uses. */
  newName(): string {
    return `onceproof-contract-${process.pid}-${proxiesMade++}`
  }

  async proxy(upstreamPort: number, name = this.newName()): Promise<ClientProxy> {
    const upstream = `127.0.0.1:${upstreamPort}`
    this.removeLater(name)
    return this.toxiproxy.createProxy({ name, listen: '127.0.0.1:0', upstream })
  }

  /** For a proxy that was made without `proxy`. */
  removeLater(name: string): void {
    this.open.push(() => fetch(`${this.url}/proxies/${name}`, { method: 'DELETE' }))
  }

  /** An upstream server. `serve` gets every connection; without it, all that comes is sent back. */
  async server(serve: (socket: Socket) => void = (socket) => socket.pipe(socket)): Promise<number> {
    const sockets = new Set<Socket>()
    const server: Server = net.createServer((socket) => {
      sockets.add(socket)
      socket.on('error', () => {})
      serve(socket)
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    this.open.push(() => {
      server.close()
      for (const socket of sockets) socket.destroy()
    })
    return (server.address() as AddressInfo).port
  }

  /** A connection to a proxy, or to a port. */
  async dial(to: ClientProxy | number): Promise<Line> {
    const line = new Line(
      net.connect({ host: '127.0.0.1', port: typeof to === 'number' ? to : portOf(to), noDelay: true }),
    )
    this.open.push(() => line.socket.destroy())
    await line.connected
    return line
  }

  /** An ordinary client that gives up on a reply after `replyWithinMs`, and never asks twice. */
  async redis(port: number, replyWithinMs: number): Promise<Redis> {
    const client = new Redis({
      ...{ host: '127.0.0.1', port, lazyConnect: true, enableReadyCheck: false, disableClientInfo: true },
      ...{ commandTimeout: replyWithinMs, maxRetriesPerRequest: 0, retryStrategy: () => null },
    })
    client.on('error', () => {})
    this.open.push(() => client.disconnect())
    await client.connect()
    return client
  }

  // biome-ignore lint/suspicious/noExplicitAny: cases compare what came with what must come
  async request(method: string, path: string, body?: unknown): Promise<{ status: number; text: string; json: any }> {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const response = await fetch(`${this.url}${path}`, { method, ...(body === undefined ? {} : { body: text }) })
    const answer = await response.text()
    return {
      status: response.status,
      text: answer,
      json: answer.startsWith('{') || answer.startsWith('[') ? JSON.parse(answer) : null,
    }
  }

  async end(): Promise<void> {
    for (const close of this.open.reverse()) await close()
  }
}

export function portOf(proxy: { readonly listen: string }): number {
  return Number(proxy.listen.slice(proxy.listen.lastIndexOf(':') + 1))
}

/** Adds a toxic with the fields that are given: the rest is the server's to fill in. */
export function addToxic(
  proxy: ClientProxy,
  type: string,
  attributes: Readonly<Record<string, number>>,
  more: { readonly stream?: 'upstream' | 'downstream'; readonly toxicity?: number; readonly name?: string } = {},
): Promise<Toxic<Readonly<Record<string, number>>>> {
  return proxy.addToxic({ type, attributes, ...more } as ICreateToxicBody<Readonly<Record<string, number>>>)
}

/** These fields of it; it may have more. */
export function assertHas(actual: Readonly<Record<string, unknown>>, fields: Readonly<Record<string, unknown>>): void {
  assert.deepEqual(Object.fromEntries(Object.keys(fields).map((field) => [field, actual[field]])), fields)
}
