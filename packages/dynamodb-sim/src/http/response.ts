import assert from 'node:assert/strict'
import { crc32 } from '../protocol/crc32.ts'
import type { Tables } from '../tables.ts'
import type { HttpRequest } from './request-parser.ts'

const reasons: Readonly<Record<number, string>> = {
  200: 'OK',
  400: 'Bad Request',
  404: 'Not Found',
  413: 'Request Entity Too Large',
  500: 'Internal Server Error',
}

/** Encodes a response as bytes (latin1 text). */
export function responseBytes(status: number, headers: Readonly<Record<string, string>>, body: string): string {
  assert(reasons[status] !== undefined, 'a response has a status that the service knows')
  const bytes = Buffer.from(body)
  const lines = Object.entries({ ...headers, 'Content-Length': String(bytes.length) })
  const head = [`HTTP/1.1 ${status} ${reasons[status]}`, ...lines.map(([name, value]) => `${name}: ${value}`)]
  return `${head.join('\r\n')}\r\n\r\n${bytes.toString('latin1')}`
}

/** Answers a request. The checks of the service's HTTP front end come before those of the API. */
export function respond(tables: Tables, request: HttpRequest): string {
  if (request.method === 'GET') return plain(200, 'healthy: dynamodb.us-east-1.amazonaws.com ')
  const type = (request.headers['content-type'] ?? '').split(';')[0]!.trim()
  const isJson = type === 'application/json' || type === 'application/x-amz-json-1.0'
  if (request.method !== 'POST' || (request.body !== '' && !isJson)) return plain(404, '<UnknownOperationException/>\n')
  const answer = tables.answer({
    target: request.headers['x-amz-target'] ?? '',
    headers: request.headers,
    body: Buffer.from(request.body, 'latin1').toString(),
  })
  return responseBytes(answer.status, answer.headers, answer.body)
}

function plain(status: number, body: string): string {
  return responseBytes(status, { 'x-amz-crc32': String(crc32(Buffer.from(body))) }, body)
}
