/** The mark of a key lives for 20 seconds, because observed copies came half a second apart. */
import type { Implementation } from '../../../src/contract/api/implementation.ts'
import { openClient } from './parts/locked.ts'
import { answerOf } from './parts/marked.ts'

function layer(id: string, lifeOf: (retentionMs: number) => number): Implementation {
  return {
    ...{ id, recoveryBoundMs: 60_000, lacks: ['lease'] },
    create({ redis, leaseMs, retentionMs, sink }) {
      const client = openClient(redis)
      const lifeMs = lifeOf(retentionMs)
      return {
        async handle(message) {
          const name = `event:${message.key}`
          const mine = { owner: `${Math.random()}`, of: JSON.stringify(message.payload) }
          if ((await client.set(name, JSON.stringify(mine), 'PX', lifeMs, 'NX')) === null) {
            const found = await client.get(name)
            if (found === null) return { status: 'retry', reason: 'the mark is gone' }
            const mark = JSON.parse(found)
            if (mark.owner !== mine.owner) return answerOf(mark, message, lifeMs - (await client.pttl(name)), leaseMs)
          }
          try {
            const result = (await sink.perform(message)) ?? null
            await client.set(name, JSON.stringify({ ...mine, result }), 'PX', lifeMs)
            return { status: 'done', result }
          } catch {
            return { status: 'dead-letter', reason: 'in-doubt' }
          }
        },
        close: () => client.disconnect(),
      }
    },
  }
}

export const bug = layer('mark-of-twenty-seconds', () => 20_000)
export const fix = layer('mark-of-twice-the-retention', (retentionMs) => 2 * retentionMs)
