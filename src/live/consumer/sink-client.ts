/** The sink as the layer sees it: an HTTP service behind this consumer's own proxy, with a time-out. */
import http from 'node:http'
import { canonicalJson, type JsonValue } from '../../contract/json.ts'
import type { EffectRequest, LookupAnswer, RaiseAnswer, Receipt, Sink } from '../../contract/sink.ts'
import type { CreateOrder, SinkReply } from '../protocol.ts'
import { passGate, tell } from './gates.ts'
import { realTimeout } from './limits.ts'

class SinkRefusal extends Error {
  override readonly name = 'SinkRefusal'
}
class StaleFence extends Error {
  override readonly name = 'StaleFence'
}
class SinkTimeout extends Error {
  override readonly name = 'SinkTimeout'
}
class SinkUnavailable extends Error {
  override readonly name = 'SinkUnavailable'
}

export function sinkClient(service: CreateOrder['sink']): Sink {
  const { kind } = service
  const plain = { kind, perform: (request: EffectRequest) => perform(service, request) }
  if (kind === 'plain') return plain
  const lookup = (key: string) => ask<LookupAnswer>(service, 'lookup', { key })
  if (kind === 'keyed') return { ...plain, lookup }
  return { ...plain, lookup, raise: (key, fence) => ask<RaiseAnswer>(service, 'raise', { key, fence }) }
}

function perform(service: CreateOrder['sink'], { key, payload, fence }: EffectRequest): Promise<Receipt> {
  const fingerprint = canonicalJson(payload)
  const fenced = fence === undefined ? {} : { fence }
  return new Promise((resolve, reject) => {
    let settled = false
    const sent = passGate({ at: 'effect-unsent', key, fingerprint, ...fenced })
    const settle = (answer: Receipt | Error): void => {
      if (settled) return
      settled = true
      clearTimeout(timer)
      void sent.then(({ requestId }) => tellAnswer(requestId, answer))
      if (answer instanceof Error) reject(answer)
      else resolve(answer)
    }
    const timer = realTimeout(() => settle(timedOut(service)), service.timeoutMs)
    void sent.then(async ({ drop, requestId }) => {
      if (drop) return
      const body = { requestId, key, payload: JSON.parse(fingerprint) as JsonValue, ...fenced }
      const answer = await post<SinkReply>(service.url, 'perform', body).then(meaning, (error: Error) => error)
      if (settled || (await passGate({ at: 'effect-answered', requestId })).drop) return
      settle(answer)
    })
  })
}

function meaning(reply: SinkReply): Receipt | Error {
  if (reply.status === 'applied') return reply.receipt
  if (reply.status === 'refused') return new SinkRefusal('the sink refuses this request for good')
  return new StaleFence(`the fence is below ${reply.highest}`)
}

function tellAnswer(requestId: number, answer: Receipt | Error): void {
  if (!(answer instanceof Error)) return tell({ type: 'effect-answered', requestId, answer: 'receipt' })
  const kind = answer instanceof SinkRefusal ? 'refused' : 'error'
  tell({ type: 'effect-answered', requestId, answer: kind, error: `${answer.name}: ${answer.message}` })
}

function ask<T>(service: CreateOrder['sink'], what: 'raise' | 'lookup', body: object): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = realTimeout(() => reject(timedOut(service)), service.timeoutMs)
    post<T>(service.url, what, body)
      .then(resolve, reject)
      .finally(() => clearTimeout(timer))
  })
}

function timedOut({ timeoutMs }: CreateOrder['sink']): Error {
  return new SinkTimeout(`no answer from the sink within ${timeoutMs} ms`)
}

/** A connection for each request, so that they overtake each other. Nothing is sent twice. */
function post<T>(url: string, what: string, body: object): Promise<T> {
  return new Promise((resolve, reject) => {
    const unavailable = (why: string) => reject(new SinkUnavailable(why))
    const request = http.request(`${url}/${what}`, { method: 'POST', agent: false }, (response) => {
      const parts: Buffer[] = []
      response.on('data', (part: Buffer) => parts.push(part))
      response.on('error', (error) => unavailable(error.message))
      response.on('end', () => {
        if (response.statusCode !== 200) return unavailable(`${response.statusCode} from the sink`)
        resolve(JSON.parse(Buffer.concat(parts).toString()) as T)
      })
    })
    request.on('error', (error) => unavailable(error.message))
    request.end(JSON.stringify(body))
  })
}
