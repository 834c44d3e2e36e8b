/**
 * The sink of a layer in a live run: an HTTP service behind this consumer's proxy, with a timeout.
 */
import http from 'node:http'
import { canonicalJson, type JsonValue } from '../../contract/api/json.ts'
import type { EffectRequest, EffectResult, EffectStatement, Sink } from '../../contract/api/sink.ts'
import { givenFor } from '../../run/sink/effect-gift.ts'
import { effectStatement, receiptOf } from '../../run/sink/effects-table.ts'
import { sinkClient } from '../../run/sink/sink-client.ts'
import {
  answerText,
  errorOf,
  outcomeOf,
  type SinkReply,
  SinkTimeout,
  SinkUnavailable,
} from '../../run/sink/sink-errors.ts'
import type { CreateOrder } from '../host/protocol.ts'
import type { AskedQuestion } from '../sink/service.ts'
import { noteExchange } from './exchanges.ts'
import { passGate, report } from './gates.ts'
import { heldTimeout } from './held-timers.ts'
import { realTimeout } from './limits.ts'
import { atSink } from './rest.ts'

/**
 * Creates the sink. `asker`: this process's name. `holds`: the run follows a schedule, which
 * decides about timeouts.
 */
export function liveSink(service: CreateOrder['sink'], asker: string, holds: boolean): Sink {
  return sinkClient({
    kind: service.kind,
    perform: (request) => withWork(service, holds, request),
    statement: (request) => statement(service, holds, request),
    cancel: (key, reference) => ask(service, holds, { asker, what: 'cancel', key, reference }),
    lookup: (key) => ask(service, holds, { asker, what: 'lookup', key }),
    raise: (key, fence) => ask(service, holds, { asker, what: 'raise', key, fence }),
  })
}

/** Does the caller's work on the effect, then returns the statement. */
async function statement(
  { effectMs, work, results }: CreateOrder['sink'],
  holds: boolean,
  { key, payload }: EffectRequest,
): Promise<EffectStatement> {
  // The payload is serialized at once, as if it were sent over the network, so that later changes
  // by the caller have no effect.
  const fingerprint = canonicalJson(payload)
  const { beforeMs = 0, afterMs = 0 } = work ?? {}
  await works(beforeMs + effectMs + afterMs, holds)
  const { drop, requestId, instead } = await passGate({ at: 'effect-unsent', key, fingerprint, statement: true })
  if (instead !== undefined) {
    const error = errorOf(instead)
    reportAnswer(requestId, error)
    throw error
  }
  if (drop) return new Promise<never>(() => {})
  const receipt = receiptOf(requestId, key, fingerprint)
  return effectStatement(receipt, fingerprint, results === undefined ? undefined : givenFor(results, receipt))
}

/** Adds the planned work of the layer's caller around the request. */
async function withWork(service: CreateOrder['sink'], holds: boolean, request: EffectRequest): Promise<EffectResult> {
  const { beforeMs = 0, afterMs = 0 } = service.work ?? {}
  await works(beforeMs, holds)
  const result = await perform(service, holds, request)
  await works(afterMs, holds)
  return result
}

function works(ms: number, holds: boolean): Promise<void> | null {
  return ms === 0 ? null : new Promise((resolve) => (holds ? heldTimeout : realTimeout)(() => resolve(), ms))
}

function perform(
  service: CreateOrder['sink'],
  holds: boolean,
  { key, payload, fence, reference }: EffectRequest,
): Promise<EffectResult> {
  const fingerprint = canonicalJson(payload)
  const fenced = fence === undefined ? {} : { fence }
  return new Promise((resolve, reject) => {
    let settled = false
    const sent = passGate({ at: 'effect-unsent', key, fingerprint, ...fenced })
    const settle = (answer: EffectResult | Error): void => {
      if (settled) return
      settled = true
      clearTimeout(timer)
      void sent.then(({ requestId }) => reportAnswer(requestId, answer))
      if (answer instanceof Error) reject(answer)
      else resolve(answer)
    }
    const timesOut = () => settle(new SinkTimeout(service.timeoutMs))
    const timer = holds ? undefined : realTimeout(timesOut, service.timeoutMs)
    void sent.then(async ({ drop, requestId }) => {
      if (holds) toBeReported.set(requestId, timesOut)
      if (drop) return
      const named = reference === undefined ? {} : { reference }
      const body = { requestId, key, payload: JSON.parse(fingerprint) as JsonValue, ...fenced, ...named }
      atSink.requests++
      const answer = await post<SinkReply>(service.url, 'perform', body).then(meaning, (error: Error) => error)
      atSink.requests--
      if (settled || (await passGate({ at: 'effect-answered', requestId })).drop) return
      settle(answer)
    })
  })
}

/**
 * Functions that let a request time out, by the request's number. They are called when the harness
 * orders it.
 */
const toBeReported = new Map<number, () => void>()

export function reportTimeOut(requestId: number): void {
  toBeReported.get(requestId)?.()
}

function meaning(reply: SinkReply): EffectResult | Error {
  const outcome = outcomeOf(reply)
  return 'error' in outcome ? outcome.error : outcome.value
}

function reportAnswer(requestId: number, answer: EffectResult | Error): void {
  report({ type: 'effect-answered', requestId, ...answerText(answer instanceof Error ? answer : null) })
}

function ask<T>(service: CreateOrder['sink'], holds: boolean, question: AskedQuestion): Promise<T> {
  const { what, key } = question
  return new Promise((resolve, reject) => {
    const timesOut = () => reject(new SinkTimeout(service.timeoutMs))
    const timer = (holds ? heldTimeout : realTimeout)(timesOut, service.timeoutMs)
    const left = holds ? passGate({ at: 'sink-unasked', what, key }) : Promise.resolve()
    const answer = left.then(() => {
      atSink.requests++
      return post<T>(service.url, what, question)
    })
    answer.then(resolve, reject).finally(() => {
      atSink.requests--
      clearTimeout(timer)
    })
  })
}

/**
 * Sends a request on a new connection, so that requests can overtake each other. Nothing is sent
 * twice.
 */
function post<T>(url: string, what: string, body: object): Promise<T> {
  return new Promise((resolve, reject) => {
    const unavailable = (why: string) => reject(new SinkUnavailable(why))
    const answered = noteExchange({ port: Number(new URL(url).port) })
    const request = http.request(`${url}/${what}`, { method: 'POST', agent: false }, (response) => {
      const parts: Buffer[] = []
      response.on('data', (part: Buffer) => parts.push(part))
      response.on('error', (error) => unavailable(error.message))
      response.on('end', () => {
        answered()
        if (response.statusCode !== 200) return unavailable(Buffer.concat(parts).toString())
        resolve(JSON.parse(Buffer.concat(parts).toString()) as T)
      })
    })
    request.on('error', (error) => unavailable(error.message))
    request.end(JSON.stringify(body))
  })
}
