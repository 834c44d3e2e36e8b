/**
 * An Express route with an `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header). The key
 * of the layer is the client's key with the client's identity, so that two clients never share one.
 * `producedAt` must be the same when the client repeats a request. It is the time in the key
 * itself, a UUID of version 7, which the client draws once for each order. A client's clock may be
 * off by at most `maxClockSkewMs`, unless Redis loses nothing.
 */
import type { Request, RequestHandler } from 'express'
import type { Attempt, Once } from 'onceproof/once'

type Effect = (request: Request, attempt: Attempt) => Promise<unknown>

/** `caller`: the client that authentication has found. */
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
    const outcome = await once.run(message, (attempt) => effect(request, attempt))
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
        // 409: the first request is in progress. 503: the server cannot answer now.
        response.set('Retry-After', String(Math.ceil(outcome.retryAfterMs / 1000)))
        response.status(outcome.reason === 'held' ? 409 : 503).json({ error: outcome.reason })
        break
      case 'conflict':
        response.status(422).json({ error: 'Idempotency-Key: it was used with another body' })
        break
      case 'in-doubt':
      case 'failed':
        // A repetition does not help: a person has to look.
        response.status(500).json({ error: outcome.status })
    }
  }
}

/**
 * The time is in the first 48 bits of a UUID of version 7, in milliseconds. The draft has the key
 * in quotes; clients often leave them out.
 */
function readKey(header = ''): { uuid: string; atMs: number } | undefined {
  const found = /^("?)(([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12})\1$/i.exec(header)
  return found === null
    ? undefined
    : { uuid: found[2]!.toLowerCase(), atMs: Number.parseInt(`${found[3]}${found[4]}`, 16) }
}
