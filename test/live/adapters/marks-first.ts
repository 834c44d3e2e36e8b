/**
 * The check-then-act layer of article 001, changed so that it holds: it claims the mark before it
 * acts.
 */
import { Redis } from 'ioredis'
import { defineImplementation } from '../../../src/contract/api/implementation.ts'

export default defineImplementation({
  id: 'marks-first',
  about: 'GET a mark, SET it where it was not there, perform the effect.',
  create({ redis, sink }) {
    const client = new Redis(redis.options)
    return {
      async handle(message) {
        const mark = `idempotency:${message.key}`
        if (await client.get(mark)) return { status: 'done', result: null }
        if ((await client.set(mark, '1', 'EX', 86_400, 'NX')) === null) return { status: 'retry' }
        return { status: 'done', result: await sink.perform({ key: message.key, payload: message.payload }) }
      },
      close: () => client.disconnect(),
    }
  },
})
