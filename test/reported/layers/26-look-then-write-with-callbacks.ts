/** GET, then SET after the effect, with promisified callbacks. */
import { promisify } from 'node:util'
import type { Implementation } from '../../../src/contract/api/implementation.ts'
import { openClient } from './parts/locked.ts'

export const bug: Implementation = {
  ...{ id: 'look-then-write-with-callbacks', recoveryBoundMs: 60_000, lacks: ['lease', 'dead-lettering'] },
  create({ redis, retentionMs, sink }) {
    const client = openClient(redis)
    const get = promisify((name: string, told: (error: Error | null, text?: string | null) => void) => {
      client.get(name, (error, text) => told(error ?? null, text))
    })
    const set = promisify((name: string, text: string, told: (error: Error | null) => void) => {
      client.set(name, text, 'PX', 2 * retentionMs, (error) => told(error ?? null))
    })
    return {
      async handle({ key, payload }) {
        const of = JSON.stringify(payload)
        const kept = await get(`done:${key}`)
        if (typeof kept === 'string') {
          const record = JSON.parse(kept)
          if (record.of !== of) return { status: 'dead-letter', reason: 'key-reused' }
          return { status: 'done', result: record.result }
        }
        const result = (await sink.perform({ key, payload })) ?? null
        await set(`done:${key}`, JSON.stringify({ result, of }))
        return { status: 'done', result }
      },
      close: () => client.disconnect(),
    }
  },
}
