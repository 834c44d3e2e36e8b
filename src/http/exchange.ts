/**
 * Sends one request on a separate connection, and returns its reply. Redirects are not followed.
 */
import { once } from 'node:events'
import http, { type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import type { JsonValue } from '../contract/api/json.ts'

/** A request with all defaults filled in. */
export interface WireRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/**
 * The reply of the app to one request.
 * @example
 * ```ts
 * import type { HttpReply } from 'onceproof/http'
 *
 * const isReplayed = ({ headers }: HttpReply): boolean =>
 *   headers['idempotent-replayed'] === 'true'
 * ```
 */
export interface HttpReply {
  readonly status: number
  /** The headers by lower-case name, as in Node. */
  readonly headers: Readonly<IncomingHttpHeaders>
  /** The parsed body if its content type is JSON, otherwise the text; null if the body is empty. */
  readonly body: JsonValue
}

/**
 * The client got no reply within its timeout. The request may have been handled, or may still be
 * handled.
 * @example
 * ```ts
 * import { HttpTimeout } from 'onceproof/http'
 *
 * const isSilent = (error: unknown): boolean => error instanceof HttpTimeout
 * ```
 */
export class HttpTimeout extends Error {
  override readonly name = 'HttpTimeout'
}

/**
 * @throws HttpTimeout, or Node's error for a broken connection; neither shows whether the effect of
 * the key happened
 */
export async function exchange(
  at: { readonly host: string; readonly port: number },
  { method, path, headers, body }: WireRequest,
  timeoutMs: number,
): Promise<HttpReply> {
  const request = http.request({ ...at, method, path, headers, agent: false })
  let timeout: HttpTimeout | null = null
  const timer = setTimeout(() => {
    timeout = new HttpTimeout(`no reply to ${method} ${path} within ${timeoutMs} ms`)
    request.destroy(timeout)
  }, timeoutMs)
  // An error after the reply would otherwise be uncaught.
  request.on('error', () => {})
  try {
    request.end(body)
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    return { status: response.statusCode!, headers: response.headers, body: bodyOf(response, await text(response)) }
  } catch (error) {
    throw timeout ?? error
  } finally {
    clearTimeout(timer)
  }
}

const jsonType = /^application\/(?:[\w.-]+\+)?json\b/i

function bodyOf({ headers }: IncomingMessage, content: string): JsonValue {
  if (content === '') return null
  if (!jsonType.test(headers['content-type'] ?? '')) return content
  try {
    return JSON.parse(content)
  } catch {
    return content
  }
}
