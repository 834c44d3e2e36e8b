/** The record of a request, and the reply to the next request with its key. */
interface Kept {
  readonly request: string
  readonly status?: number
  readonly body?: unknown
}

export interface Reply {
  readonly status: number
  readonly body: unknown
  readonly headers: Readonly<Record<string, string>>
}

/** `ageMs`: the age of the record. */
export function replyFor(text: string, request: string, ageMs: number, leaseMs: number): Reply {
  const kept: Kept = JSON.parse(text)
  const replayed = { 'Idempotent-Replayed': 'true' }
  if (kept.request !== request) return { status: 422, body: { error: 'another request' }, headers: {} }
  if (kept.status !== undefined)
    return { status: kept.status, body: kept.body, headers: kept.status < 500 ? {} : replayed }
  if (ageMs < 3 * leaseMs) return { status: 409, body: { error: 'in progress' }, headers: { 'Retry-After': '1' } }
  return { status: 500, body: { error: 'unknown' }, headers: replayed }
}
