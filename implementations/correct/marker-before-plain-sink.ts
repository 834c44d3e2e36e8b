/**
 * A marker set once, before the effect, and never given back: an attempt that finds the marker of
 * another attempt without a result waits, and finally dead-letters. The proof is in
 * docs/findings/correct-layers.md.
 */
import { randomUUID } from 'node:crypto'
import { defineImplementation } from '../../src/contract/api/implementation.ts'
import type { Message, Outcome } from '../../src/contract/api/message.ts'
import { isSinkRefusal } from '../../src/contract/api/sink.ts'
import { fingerprint } from './parts/bind-payload.ts'
import { openClient } from './parts/open-client.ts'

/** `owner` is the attempt that may send the effect; `outcome` is absent until it has an answer. */
interface Marker {
  readonly payload: string
  readonly owner: string
  readonly outcome?: Outcome
}

export default defineImplementation({
  id: 'marker-before-plain-sink',
  about: 'SET NX before the effect, never released: one attempt may send it, and a lost one is a case for a person.',
  expect: 'holds',
  accepts: [
    { what: 'redis-data-loss', because: 'the record is the only memory, and one server keeps it' },
    { what: 'asynchronous-failover', because: 'a replica may lack the record' },
    { what: 'copies-after-retention', because: 'the record ends after twice the retention' },
    { what: 'clock-steps-beyond-1-minute', because: 'its lease ends by the clock of Redis' },
    { what: 'sink-forgets', because: 'the sink is assumed to remember a key while copies arrive' },
  ],
  recoveryBoundMs: 60_000,
  sinks: ['plain', 'keyed', 'fenced'],
  lacks: ['lease'],
  async create({ redis, leaseMs, retentionMs, sink }) {
    const client = openClient(redis)
    const lifeMs = 2 * retentionMs
    const patienceMs = 3 * leaseMs

    const keep = (key: string, marker: Marker) => client.set(key, JSON.stringify(marker), 'PX', lifeMs, 'XX')

    async function perform({ key, payload }: Message): Promise<Outcome> {
      try {
        return { status: 'done', result: await sink.perform({ key, payload }) }
      } catch (error) {
        // No other request will be sent, so a refusal is final. Other errors leave the effect in
        // doubt.
        if (isSinkRefusal(error)) return { status: 'refused', error: error.message }
        return { status: 'dead-letter', reason: 'in-doubt: the sink did not answer' }
      }
    }

    return {
      async handle(message) {
        const key = `marker:${message.key}`
        const marker: Marker = { payload: fingerprint(message.payload), owner: randomUUID() }
        await client.set(key, JSON.stringify(marker), 'PX', lifeMs, 'NX')
        const [text, remainingMs] = await Promise.all([client.get(key), client.pttl(key)])
        if (text === null) return { status: 'retry', reason: 'no marker' }
        const found = JSON.parse(text) as Marker
        if (found.payload !== marker.payload) return { status: 'dead-letter', reason: 'key-reused' }
        if (found.owner === marker.owner) {
          const outcome = await perform(message)
          await keep(key, { ...marker, outcome })
          return outcome
        }
        if (found.outcome !== undefined) return found.outcome
        if (lifeMs - remainingMs < patienceMs) return { status: 'retry', reason: 'another attempt has begun' }
        return { status: 'dead-letter', reason: 'in-doubt: the attempt that began has told nothing' }
      },
      close: () => client.disconnect(),
    }
  },
})
