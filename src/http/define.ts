/** Wraps a layer that is an HTTP server as an implementation. */
import type { CreateContext, Handler, Implementation, LockReports } from '../contract/api/implementation.ts'
import type { JsonValue } from '../contract/api/json.ts'
import type { Message, Outcome } from '../contract/api/message.ts'
import type { Sink } from '../contract/api/sink.ts'
import { exchange, type HttpReply, type WireRequest } from './exchange.ts'
import { keyFromHeader, keyToHeader } from './key-header.ts'
import { outcomeOf } from './outcome-of.ts'
import { addressOf, type HttpApp, serve } from './serve.ts'

/**
 * The request that is sent for a message. It must be the same for each delivery of the message.
 * @example
 * ```ts
 * import type { HttpRequest } from 'onceproof/http'
 *
 * const request: HttpRequest = { path: '/payments', headers: { Authorization: 'Bearer test' } }
 * ```
 */
export interface HttpRequest {
  /** The method. Default: POST. */
  readonly method?: string
  /** The path. Default: `/`. */
  readonly path?: string
  /**
   * Headers in addition to `Idempotency-Key` (the key) and `Content-Type` (JSON), or replacing
   * these.
   */
  readonly headers?: Readonly<Record<string, string>>
  /**
   * The body. A string is sent unchanged, any other value as JSON. Default: `{ payload }` with the
   * message's payload.
   */
  readonly body?: JsonValue
}

/**
 * A layer that is an HTTP server, as `defineHttpImplementation` takes it.
 * @example
 * ```ts
 * import type { HttpImplementation } from 'onceproof/http'
 *
 * const layer: HttpImplementation = {
 *   id: 'my-server',
 *   app:
 *     ({ sink }) =>
 *     async (request, response) => {
 *       const key = String(request.headers['idempotency-key'])
 *       response.end(JSON.stringify(await sink.perform({ key, payload: null })))
 *     },
 * }
 * ```
 */
export interface HttpImplementation extends Omit<Implementation, 'create'> {
  /**
   * Builds the app; called once in each simulated process. `sink` and `lock` of the context accept
   * keys as they are in the header `Idempotency-Key`.
   */
  app(context: CreateContext): HttpApp | Promise<HttpApp>
  request?(message: Message): HttpRequest
  /**
   * Maps a reply to an outcome; `otherwise` returns the default outcome. A throw counts as `retry`.
   */
  outcome?(reply: HttpReply, otherwise: () => Outcome): Outcome
  /**
   * The time after which the client gives up waiting for a reply, in milliseconds. Default: 30 s.
   */
  readonly timeoutMs?: number
  /**
   * The headers that must be equal in all replies for a key. Default: `content-type` and
   * `location`.
   */
  readonly comparedHeaders?: readonly string[]
}

/**
 * Wraps an HTTP server as an implementation. Like `defineImplementation`, it checks nothing.
 * `create` rejects if `app` returns something that is not an app, or a server that does not listen.
 * @example
 * ```ts
 * import express from 'express'
 * import { defineHttpImplementation } from 'onceproof/http'
 * export default defineHttpImplementation({
 *   id: 'my-express-app',
 *   app({ sink }) {
 *     const app = express().use(express.json())
 *     app.post('/payments', async (request, response) => {
 *       const key = request.get('Idempotency-Key')!
 *       response.json(await sink.perform({ key, payload: request.body.payload }))
 *     })
 *     return app
 *   },
 *   request: () => ({ path: '/payments' }),
 * })
 * ```
 */
export function defineHttpImplementation(definition: HttpImplementation): Implementation {
  const { app, request, outcome, timeoutMs = 30_000, comparedHeaders, ...implementation } = definition
  const compared = comparedHeaders ?? ['content-type', 'location']
  return {
    ...implementation,
    async create(context): Promise<Handler> {
      if (typeof app !== 'function') throw new Error('the adapter has no `app` function')
      const server = await serve(await app({ ...context, ...byHeader(context) }))
      const at = addressOf(server)
      return {
        async handle(message) {
          const reply = await exchange(at, wireRequest(message, request?.(message) ?? {}), timeoutMs)
          const otherwise = () => outcomeOf(reply, compared)
          const given = outcome === undefined ? otherwise() : outcome(reply, otherwise)
          if (given?.status === 'retry') await waitToRetry(reply, timeoutMs)
          return given
        },
        close() {
          server.close()
          server.closeAllConnections()
        },
      }
    },
  }
}

function wireRequest(message: Message, { method = 'POST', path = '/', headers = {}, body }: HttpRequest): WireRequest {
  const content = body === undefined ? { payload: message.payload } : body
  const own = new Set(Object.keys(headers).map((name) => name.toLowerCase()))
  const keyed = message.keyless ? {} : { 'Idempotency-Key': keyToHeader(message.key) }
  const usual = { ...keyed, 'Content-Type': 'application/json' }
  const needed = Object.entries(usual).filter(([name]) => !own.has(name.toLowerCase()))
  return {
    method,
    path,
    headers: { ...Object.fromEntries(needed), ...headers },
    body: typeof content === 'string' ? content : JSON.stringify(content),
  }
}

/** Waits for the time of `Retry-After`, but at most as long as for a reply. */
async function waitToRetry({ headers }: HttpReply, mostMs: number): Promise<void> {
  const ms = Math.min(retryAfterMs(headers['retry-after'], Date.now()), mostMs)
  if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms))
}

function byHeader({ sink, lock }: CreateContext): { sink: Sink; lock: LockReports } {
  const { raise, lookup, cancel } = sink
  return {
    sink: {
      ...sink,
      perform: (request) => sink.perform({ ...request, key: keyFromHeader(request.key) }),
      ...(raise && { raise: (key: string, fence: number) => raise(keyFromHeader(key), fence) }),
      ...(cancel && { cancel: (key: string, reference: string) => cancel(keyFromHeader(key), reference) }),
      ...(lookup && { lookup: (key: string) => lookup(keyFromHeader(key)) }),
    },
    lock: {
      acquired: (key) => lock.acquired(keyFromHeader(key)),
      renewed: (key) => lock.renewed(keyFromHeader(key)),
      lost: (key) => lock.lost(keyFromHeader(key)),
      released: (key) => lock.released(keyFromHeader(key)),
    },
  }
}

/**
 * The time of the header `Retry-After` in milliseconds: whole seconds, or a date (RFC 9110,
 * 10.2.3). 0 for any other text.
 */
function retryAfterMs(header: string | undefined, nowMs: number): number {
  if (header === undefined) return 0
  if (/^\d+$/.test(header)) return Number(header) * 1000
  const atMs = Date.parse(header)
  return Number.isNaN(atMs) ? 0 : Math.max(0, atMs - nowMs)
}
