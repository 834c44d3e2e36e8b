/** The sink as an HTTP service of the harness: what becomes of each request is the run's to say. */
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import type { EffectRequest, LookupAnswer, RaiseAnswer } from '../../contract/sink.ts'
import type { SinkReply } from '../protocol.ts'

export type PerformRequest = EffectRequest & { readonly requestId: number }

export interface SinkHandlers {
  /** Null where no answer ever comes; `fail` for an answer that is none. */
  perform(request: PerformRequest): Promise<SinkReply | 'fail' | null>
  raise(key: string, fence: number): Promise<RaiseAnswer>
  lookup(key: string): LookupAnswer
}

export interface SinkService {
  readonly port: number
  close(): Promise<void>
}

export async function openSink(handlers: SinkHandlers, failed: (error: unknown) => void): Promise<SinkService> {
  const server = http.createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('error', () => {})
    response.on('error', () => {})
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(parts).toString())
      answerOf(request.url ?? '', body, handlers).then((answer) => reply(response, answer), failed)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function answerOf(url: string, body: PerformRequest & { fence: number }, handlers: SinkHandlers): Promise<unknown> {
  if (url === '/perform') return handlers.perform(body)
  if (url === '/raise') return handlers.raise(body.key, body.fence)
  return Promise.resolve(handlers.lookup(body.key))
}

function reply(response: http.ServerResponse, answer: unknown): void {
  if (answer === null) return
  if (answer === 'fail') return void response.writeHead(502).end()
  response.writeHead(200, { 'content-type': 'application/json', connection: 'close' }).end(JSON.stringify(answer))
}
