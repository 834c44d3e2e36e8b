/**
 * The next version of `marker-before-plain-sink`. Its markers record whether the effect has begun;
 * if not, another attempt may take over. It is correct, but treats old markers as not begun.
 */
import { randomUUID } from 'node:crypto'
import { defineImplementation } from '../../../src/contract/api/implementation.ts'
import type { Message, Outcome } from '../../../src/contract/api/message.ts'
import { isSinkRefusal } from '../../../src/contract/api/sink.ts'
import { fingerprint } from '../../correct/parts/bind-payload.ts'
import { openClient } from '../../correct/parts/open-client.ts'

interface Marker {
  readonly payload: string
  readonly owner: string
  readonly begun: boolean
  readonly outcome?: Outcome
}

/** Replaces the marker if it is unchanged. */
const exchange = `
if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('set', KEYS[1], ARGV[2], 'KEEPTTL')
return 1`

export default defineImplementation({
  id: 'marker-version-two',
  about: 'SET NX, then begun by the process that exchanges the marker first; what was not begun is taken over.',
  recoveryBoundMs: 60_000,
  sinks: ['plain', 'keyed', 'fenced'],
  lacks: ['lease'],
  async create({ redis, leaseMs, retentionMs, sink }) {
    const client = openClient(redis)
    const lifeMs = 2 * retentionMs
    const patienceMs = 3 * leaseMs

    async function perform({ key, payload }: Message): Promise<Outcome> {
      try {
        return { status: 'done', result: await sink.perform({ key, payload }) }
      } catch (error) {
        if (isSinkRefusal(error)) return { status: 'refused', error: error.message }
        return { status: 'dead-letter', reason: 'in-doubt: the sink did not answer' }
      }
    }

    return {
      async handle(message) {
        const key = `marker:${message.key}`
        const own: Marker = { payload: fingerprint(message.payload), owner: randomUUID(), begun: false }
        await client.set(key, JSON.stringify(own), 'PX', lifeMs, 'NX')
        const [text, remainingMs] = await Promise.all([client.get(key), client.pttl(key)])
        if (text === null) return { status: 'retry', reason: 'no marker' }
        const found = JSON.parse(text) as Marker
        if (found.payload !== own.payload) return { status: 'dead-letter', reason: 'key-reused' }
        if (found.outcome !== undefined) return found.outcome
        if (!found.begun) {
          const begun = { ...own, begun: true }
          if ((await client.eval(exchange, 1, key, text, JSON.stringify(begun))) !== 1)
            return { status: 'retry', reason: 'another attempt was faster' }
          const outcome = await perform(message)
          await client.set(key, JSON.stringify({ ...begun, outcome }), 'PX', lifeMs, 'XX')
          return outcome
        }
        if (lifeMs - remainingMs < patienceMs) return { status: 'retry', reason: 'another attempt has begun' }
        return { status: 'dead-letter', reason: 'in-doubt: the attempt that began has told nothing' }
      },
      close: () => client.disconnect(),
    }
  },
})
