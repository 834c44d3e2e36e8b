/**
 * Article 004, second pattern as in 004-lock-and-record.ts, with the record advised for HTTP APIs:
 * the whole first response, with status and headers, which also answers duplicate requests.
 * Decided here: the key is the header Idempotency-Key; a held lock is 409 with Retry-After; an
 * effect's error is 502 and not stored, because the pattern stores no error. The response is 201
 * with a Location.
 */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Redis } from 'ioredis'
import { defineHttpImplementation } from '../../src/http/index.ts'
import { acquireLock, releaseLock } from '../articles/004-lock-and-record.ts'

/** The article's limits: 10 seconds and a day. */
const lockSeconds = 10
const responseSeconds = 24 * 60 * 60

interface Response {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export default defineHttpImplementation({
  id: '004-stored-response',
  about: 'A lock around GET, effect and SET of the whole HTTP response, status and headers (article 004, its advice).',
  expect: 'broken',
  recoveryBoundMs: lockSeconds * 1000,
  sinks: ['plain', 'keyed'],
  lacks: ['dead-lettering'],
  app({ redis, sink }) {
    const client = new Redis(redis.options)

    async function perform(key: string, request: IncomingMessage): Promise<Response> {
      const { payload } = JSON.parse(await textOf(request))
      const receipt = await sink.perform({ key, payload })
      const headers = { 'content-type': 'application/json', location: `/payments/${encodeURIComponent(key)}` }
      return { status: 201, headers, body: JSON.stringify(receipt ?? null) }
    }

    async function answer(key: string, request: IncomingMessage): Promise<Response> {
      const [lock, record, token] = [`lock:${key}`, `record:${key}`, randomUUID()]
      if (!(await acquireLock(client, lock, token, lockSeconds)))
        return { status: 409, headers: { 'retry-after': '1' }, body: '' }
      try {
        const found = await client.get(record)
        if (found !== null) return JSON.parse(found)
        const response = await perform(key, request)
        await client.set(record, JSON.stringify(response), 'EX', responseSeconds)
        return response
      } finally {
        await releaseLock(client, lock, token)
      }
    }

    return async (request: IncomingMessage, response: ServerResponse) => {
      const key = String(request.headers['idempotency-key'])
      const failed = { status: 502, headers: {}, body: '' }
      const { status, headers, body } = await answer(key, request).catch(() => failed)
      response.writeHead(status, headers).end(body)
    }
  },
})

async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part)
  return Buffer.concat(parts).toString('utf8')
}
