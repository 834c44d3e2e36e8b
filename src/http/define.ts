/** A layer in the shape of an HTTP server, as an implementation like any other. */
import type { CreateContext, Handler, Implementation, LockReports } from '../contract/api/implementation.ts'
import type { JsonValue } from '../contract/api/json.ts'
import type { Message, Outcome } from '../contract/api/message.ts'
import type { Sink } from '../contract/api/sink.ts'
import { exchange, type HttpReply, type WireRequest } from './exchange.ts'
import { keyFromHeader, keyToHeader } from './key-header.ts'
import { outcomeOf } from './outcome-of.ts'
import { addressOf, type HttpApp, serve } from './serve.ts'

/** The request that a message becomes; the same for each of its deliveries. */
export interface HttpRequest {
  /** Without it, POST. */
  readonly method?: string
  /** Without it, `/`. */
  readonly path?: string
  /** Beside, or in place of, `Idempotency-Key` (the key) and `Content-Type` (JSON). */
  readonly headers?: Readonly<Record<string, string>>
  /** A text goes as it is, anything else as JSON. Without it, `{ payload }` with the message's. */
  readonly body?: JsonValue
}

export interface HttpImplementation extends Omit<Implementation, 'create'> {
  /**
   * Builds the app, once in each simulated process. The keys of `sink` and `lock` may be given as
   * the header has them.
   */
  app(context: CreateContext): HttpApp | Promise<HttpApp>
  request?(message: Message): HttpRequest
  /**
   * What a reply means, where that is not what `otherwise` says. What it throws counts as `retry`.
   */
  outcome?(reply: HttpReply, otherwise: () => Outcome): Outcome
  /** After how long without a reply the client gives up, in milliseconds. Default 30 s. */
  readonly timeoutMs?: number
  /**
   * The headers that every reply for a key must have alike. Default: `content-type` and `location`.
   */
  readonly comparedHeaders?: readonly string[]
}

/**
 * Checks nothing, as `defineImplementation`, but for what `app` gives: `create` rejects where that
 * is no app, or cannot listen.
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

/**
 * The broker of the contract cannot be told when to deliver again: the client waits itself, no
 * longer than for a reply.
 */
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
 * The wait of the header `Retry-After` in milliseconds: whole seconds, or a date (RFC 9110,
 * 10.2.3). Any other text gives 0.
 */
function retryAfterMs(header: string | undefined, nowMs: number): number {
  if (header === undefined) return 0
  if (/^\d+$/.test(header)) return Number(header) * 1000
  const atMs = Date.parse(header)
  return Number.isNaN(atMs) ? 0 : Math.max(0, atMs - nowMs)
}
