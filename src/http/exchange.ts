/** One request and its reply, on a separate connection and without redirects. */
import { once } from 'node:events'
import http, { type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import type { JsonValue } from '../contract/api/json.ts'

/** The request as it is sent. */
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
  /** By lower-case name, as in Node. */
  readonly headers: Readonly<IncomingHttpHeaders>
  /** Parsed if its type is JSON, otherwise as text; null if it is empty. */
  readonly body: JsonValue
}

/**
 * No reply within the client's timeout: the request may have been handled, or may still be.
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
 * @throws HttpTimeout, or Node's error for a broken connection; neither says anything about the key
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
  // Ignores errors that occur after the reply.
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
