/**
 * Maps the reply to an outcome, as for a client that repeats a request with the same key whenever
 * this is allowed (docs/guide/http.md lists the sources).
 */
import type { JsonValue } from '../contract/api/json.ts'
import type { Outcome } from '../contract/api/message.ts'
import type { HttpReply } from './exchange.ts'

/**
 * Thrown for a reply that does not show what happened to the key. Repeating the request is safe,
 * and the only way to find out.
 * @example
 * ```ts
 * import { defineHttpImplementation, HttpFailure } from 'onceproof/http'
 *
 * defineHttpImplementation({
 *   id: 'my-server',
 *   app: () => (_, response) => response.end(),
 *   outcome(reply, otherwise) {
 *     if (reply.status === 507) throw new HttpFailure('the server has no room')
 *     return otherwise()
 *   },
 * })
 * ```
 */
export class HttpFailure extends Error {
  override readonly name = 'HttpFailure'
}

/**
 * The status codes after which the client retries: request timeout, conflict (in progress), too
 * early, too many requests, and service unavailable.
 */
const notNow: ReadonlySet<number> = new Set([408, 409, 425, 429, 503])

/**
 * The default outcome of a reply. @throws HttpFailure, which counts as `retry` and appears in the
 * story
 */
export function outcomeOf(reply: HttpReply, compared: readonly string[]): Outcome {
  const { status, headers, body } = reply
  if (status >= 200 && status < 300)
    return { status: 'done', result: body, reply: { status, headers: chosen(reply, compared) } }
  // Stripe sets this header on a reply that is stored with the key, so the reply will never change.
  if (status >= 500 && headers['idempotent-replayed'] === 'true')
    return { status: 'dead-letter', reason: `in-doubt: the key's reply is ${reported(reply)}` }
  if (notNow.has(status)) return { status: 'retry', reason: reported(reply) }
  if (status === 422) return { status: 'dead-letter', reason: 'key-reused' }
  if (status >= 400 && status < 500) return { status: 'refused', error: reported(reply) }
  throw new HttpFailure(reported(reply))
}

function chosen({ headers }: HttpReply, compared: readonly string[]): Record<string, JsonValue> {
  const named = compared.map((name) => [name.toLowerCase(), headers[name.toLowerCase()]] as const)
  return Object.fromEntries(named.filter((entry): entry is [string, string | string[]] => entry[1] !== undefined))
}

function reported({ status, body }: HttpReply): string {
  if (body === null) return `HTTP ${status}`
  return `HTTP ${status} ${typeof body === 'string' ? body : JSON.stringify(body)}`.slice(0, 200)
}
