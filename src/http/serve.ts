/**
 * Turns any app into a listening `http.Server`, with Node's requests and responses over sockets.
 */
import { once } from 'node:events'
import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * A `(request, response)` handler, such as an Express app or the callback of a Koa app.
 * @example
 * ```ts
 * import type { RequestHandler } from 'onceproof/http'
 *
 * const app: RequestHandler = (_, response) => response.writeHead(204).end()
 * ```
 */
export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => unknown

/**
 * Anything that serves HTTP: a handler, an app of a framework, or a server that listens.
 * @example
 * ```ts
 * import { Hono } from 'hono'
 * import type { HttpApp } from 'onceproof/http'
 *
 * const app: HttpApp = new Hono().post('/payments', (context) => context.json({ charged: true }))
 * ```
 */
export type HttpApp =
  | RequestHandler
  /** A Fastify app. */
  | { ready(): PromiseLike<unknown>; routing(request: IncomingMessage, response: ServerResponse): unknown }
  /**
   * Hono, and other apps that map a `Request` to a `Response`; they need the package
   * `@hono/node-server`.
   */
  | { fetch(request: Request): Response | Promise<Response> }
  /** A server that is listening, such as the result of `app.listen(3000)`. */
  | http.Server

/**
 * How long the app's server may take until it listens, in milliseconds. The slowest step of
 * listening is a host name lookup.
 */
const listensWithinMs = 5000

/** @throws Error if `app` is not an app, or is a server that does not listen */
export async function serve(app: unknown): Promise<http.Server> {
  if (app instanceof http.Server) return app.listening ? app : listens(app)
  const server = http.createServer(await handlerOf(app))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

async function listens(server: http.Server): Promise<http.Server> {
  const signal = AbortSignal.timeout(listensWithinMs)
  await once(server, 'listening', { signal }).catch((error: Error) => {
    if (!signal.aborted) throw error
    throw new Error('`app` returned an http.Server that does not listen; call `listen`, or return its handler')
  })
  return server
}

/** The address for a client on the same machine. */
export function addressOf(server: http.Server): { host: string; port: number } {
  const { address, port } = server.address() as AddressInfo
  return { host: address === '::' || address === '0.0.0.0' ? '127.0.0.1' : address, port }
}

/** @throws Error if `app` is not an app */
export async function handlerOf(app: unknown): Promise<http.RequestListener> {
  if (typeof app === 'function') return app as http.RequestListener
  if (has(app, 'ready', 'routing')) {
    await app.ready()
    return (request, response) => void app.routing(request, response)
  }
  if (has(app, 'fetch')) return fetching((request) => app.fetch(request) as Response | Promise<Response>)
  throw new Error(
    `\`app\` returned ${reported(app)}; return a (request, response) function, an Express, Fastify or Hono app, or an http.Server`,
  )
}

function has<Name extends string>(
  app: unknown,
  ...names: Name[]
): app is Record<Name, (...args: unknown[]) => unknown> {
  const members = app as Record<string, unknown> | null | undefined
  return names.every((name) => typeof members?.[name] === 'function')
}

async function fetching(fetch: (request: Request) => Response | Promise<Response>): Promise<http.RequestListener> {
  const { getRequestListener } = await import('@hono/node-server').catch((cause: unknown) => {
    const remedy = 'install it in the project of your adapter'
    throw new Error(`an app with \`fetch\` needs the package @hono/node-server; ${remedy}`, { cause })
  })
  // `overrideGlobalObjects` would replace global objects that all simulated processes share.
  return getRequestListener(fetch, { overrideGlobalObjects: false })
}

function reported(app: unknown): string {
  if (typeof app !== 'object' || app === null) return String(app)
  const name = app.constructor?.name ?? 'Object'
  return `${/^[AEIOU]/.test(name) ? 'an' : 'a'} ${name} with ${Object.keys(app).slice(0, 5).join(', ') || 'no members'}`
}
