/** The faults between broker and consumer also occur between client and server. */
import { createRequire } from 'node:module'
import { describe, expect, it } from 'vitest'
import { judge } from '../../src/check/index.ts'
import type { PlannedFault } from '../../src/contract/api/plan.ts'
import { defineHttpImplementation } from '../../src/http/index.ts'
import { type Play, play } from '../sim/world-lab.ts'

// Loaded like in an adapter, `http` belongs to a simulated process.
createRequire(import.meta.url)('node:http')

/** The requests that servers received, each with its process, and the end of the message. */
async function requestsUnder(fault: PlannedFault, more: Play = {}) {
  const requests: string[] = []
  const layer = defineHttpImplementation({
    id: 'by-hand',
    app:
      ({ instanceId, sink }) =>
      async (request, response) => {
        requests.push(`${instanceId} ${request.headers['idempotency-key']}`)
        response.end(JSON.stringify(await sink.perform({ key: 'order-1', payload: { order: 1 } })))
      },
  })
  const played = await play(layer, { visibilityMs: 1000, faults: [fault], ...more })
  expect(played.unsupported).toEqual([])
  return { requests, settled: played.of('settled').map(({ as }) => as), effects: played.of('effect-applied').length }
}

const atFirst = { consumer: 0, nth: 1 } as const

describe('an HTTP client repeats a request', () => {
  it('with the same key to the successor of a crashed server', async () => {
    const crash = { kind: 'crash', when: { at: 'effect-applied', ...atFirst }, healAfterMs: 300 } as const
    expect(await requestsUnder(crash)).toEqual({
      requests: ['consumer-1 order-1', 'consumer-1.2 order-1'],
      settled: ['done'],
      effects: 2,
    })
  })

  it('with the same key after a lost reply', async () => {
    const lost = { kind: 'lost-acknowledgement', when: { at: 'answered', ...atFirst } } as const
    expect(await requestsUnder(lost)).toMatchObject({
      requests: ['consumer-1 order-1', 'consumer-1 order-1'],
      settled: ['done'],
    })
  })

  it('without a key if its message has none', async () => {
    const lost = { kind: 'lost-acknowledgement', when: { at: 'answered', ...atFirst } } as const
    const messages = [{ key: '', keyless: true, payload: { order: 1 }, publishAtMs: 0 }] as const
    expect((await requestsUnder(lost, { messages })).requests).toEqual(['consumer-1 undefined', 'consumer-1 undefined'])
  })

  it('with the same key after a partition before the reply', async () => {
    const cut = {
      kind: 'partition',
      node: 'broker',
      way: 'to-node',
      when: { at: 'answered', ...atFirst },
      healAfterMs: 3000,
    }
    const { requests, settled } = await requestsUnder(cut as PlannedFault)
    expect(requests.length).toBeGreaterThan(1)
    expect(new Set(requests)).toEqual(new Set(['consumer-1 order-1']))
    expect(settled).toEqual(['done'])
  })

  it('with the same key to another server if the first one pauses for longer than the client waits', async () => {
    const pause = { kind: 'pause', when: { at: 'effect-unapplied', ...atFirst }, healAfterMs: 5000 } as const
    const { requests } = await requestsUnder(pause, { consumers: 2, messages: sent(4) })
    expect(new Set(requests)).toEqual(new Set(['consumer-1 order-1', 'consumer-2 order-1']))
  })

  it('only after a fault', async () => {
    const later = { kind: 'pause', when: { at: 'time', ms: 5000 }, consumer: 0, healAfterMs: 10 } as const
    expect(await requestsUnder(later)).toEqual({ requests: ['consumer-1 order-1'], settled: ['done'], effects: 1 })
  })
})

/** This number of messages with one key, one after the other. */
const sent = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ key: 'order-1', payload: { order: 1 }, publishAtMs: at * 200 }))

describe('a kept reply', () => {
  const kindsWhere = async (again: { status: number; type: string }) => {
    let kept: string | null = null
    const layer = defineHttpImplementation({
      id: 'by-hand',
      app:
        ({ sink }) =>
        async (_, response) => {
          const { status, type } = kept === null ? { status: 201, type: 'application/json' } : again
          kept ??= JSON.stringify(await sink.perform({ key: 'order-1', payload: { order: 1 } }))
          response.writeHead(status, { 'Content-Type': type }).end(kept)
        },
    })
    const { history } = await play(layer, { messages: sent(2) })
    const [judged] = judge(history, ['same-result'])
    return judged!.verdict.verdict === 'violated' ? judged!.verdict.violations.map(({ kind }) => kind) : []
  }

  it('has the same body, status and type', async () => {
    expect(await kindsWhere({ status: 201, type: 'application/json' })).toEqual([])
    expect(await kindsWhere({ status: 200, type: 'application/json' })).toEqual(['different-reply'])
    expect(await kindsWhere({ status: 201, type: 'application/json; charset=utf-8' })).toEqual(['different-reply'])
    expect(await kindsWhere({ status: 201, type: 'text/plain' })).toEqual(['different-result'])
  })
})
