/**
 * An Express route with an `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header). The key
 * consists of the client's identity and the client's key, so that keys of different clients never
 * collide. `producedAt` must be the same when the client repeats the request, so it is the time in
 * the client's key, a UUID of version 7. The client draws one UUID for each order. A client's clock
 * may be off by at most `maxClockSkewMs`, unless Redis loses no data.
 */
import type { Request, RequestHandler } from 'express'
import type { Once } from 'onceproof/once'

type Effect = (request: Request, fence: number) => Promise<unknown>

/** `caller`: returns the authenticated client of a request. */
export function idempotent(once: Once, caller: (request: Request) => string, effect: Effect): RequestHandler {
  return async (request, response) => {
    const drawn = readKey(request.get('Idempotency-Key'))
    if (drawn === undefined) {
      response.status(400).json({ error: 'Idempotency-Key: a UUID of version 7 is needed' })
      return
    }
    const { method, path, body } = request
    const message = {
      key: `${caller(request)}:${drawn.uuid}`,
      payload: { method, path, body: body ?? null },
      producedAt: drawn.atMs,
    }
    const outcome = await once.run(message, ({ fence }) => effect(request, fence))
    switch (outcome.status) {
      case 'done':
        response.status(201).json(outcome.result)
        break
      case 'done-unkept':
        response.status(201).json(null)
        break
      case 'refused':
        response.status(402).json({ error: outcome.error })
        break
      case 'retry':
        // 409: the first request is still being processed. 503: the outcome is unknown for now.
        response.set('Retry-After', String(Math.ceil(outcome.retryAfterMs / 1000)))
        response.status(outcome.reason === 'held' ? 409 : 503).json({ error: outcome.reason })
        break
      case 'conflict':
        response.status(422).json({ error: 'Idempotency-Key: it was used with another body' })
        break
      case 'in-doubt':
      case 'failed':
        // Repeating the request does not help. A person has to examine it.
        response.status(500).json({ error: outcome.status })
    }
  }
}

/**
 * Parses a UUID of version 7, in quotes as in the draft, or without quotes. Its first 48 bits are
 * `atMs`, in milliseconds since the Unix epoch.
 */
function readKey(header = ''): { uuid: string; atMs: number } | undefined {
  const found = /^("?)(([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12})\1$/i.exec(header)
  return found === null
    ? undefined
    : { uuid: found[2]!.toLowerCase(), atMs: Number.parseInt(`${found[3]}${found[4]}`, 16) }
}
