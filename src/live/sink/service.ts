/** The sink as an HTTP service of the harness. The run decides about each request. */
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import type { EffectRequest, LookupAnswer, RaiseAnswer } from '../../contract/api/sink.ts'
import type { CancelReply } from '../../run/effects.ts'
import { andThen, caught, type MaybePromise } from '../../run/maybe-promise.ts'
import type { SinkReply } from '../../run/sink/sink-errors.ts'

export type PerformRequest = EffectRequest & { readonly requestId: number }

export interface SinkHandlers {
  /** Performs a request. Never replies if a fault drops the request or its answer. */
  perform(request: PerformRequest, reply: (reply: SinkReply) => void): void
  /** Answers a question. Never answers if a fault drops the question or its answer. */
  ask(question: AskedQuestion): MaybePromise<SinkAnswer>
}

export type SinkAnswer = RaiseAnswer | LookupAnswer | CancelReply

/** `asker`: the name of the process that asks. */
export type AskedQuestion = { readonly asker: string; readonly key: string } & (
  | { readonly what: 'raise'; readonly fence: number }
  | { readonly what: 'lookup' }
  | { readonly what: 'cancel'; readonly reference: string }
)

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
      if (request.url === '/perform') return handlers.perform(body, (answer) => sendReply(response, answer))
      const answering = andThen(handlers.ask(body), (answer) => sendReply(response, answer))
      void caught(answering, failed)
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

function sendReply(response: http.ServerResponse, reply: SinkReply | SinkAnswer): void {
  if (reply.status === 'unavailable') response.writeHead(502).end(reply.why)
  else send(response, reply)
}

function send(response: http.ServerResponse, answer: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json', connection: 'close' }).end(JSON.stringify(answer))
}
