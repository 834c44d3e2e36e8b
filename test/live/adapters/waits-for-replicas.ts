/**
 * `001-get-set`, changed so that it holds: it sets the mark before the effect, and the mark counts
 * once a replica has it.
 */
import { Redis } from 'ioredis'
import { defineImplementation } from '../../../src/contract/api/implementation.ts'

export default defineImplementation({
  id: '001-get-set',
  about: 'SET NX a mark, WAIT for a replica, then perform the effect.',
  create({ redis, sink }) {
    const client = new Redis(redis.options)
    return {
      async handle(message) {
        const mark = `idempotency:${message.key}`
        if ((await client.set(mark, '1', 'EX', 86_400, 'NX')) === null) return { status: 'done', result: null }
        if ((await client.wait(1, 100)) < 1) return { status: 'dead-letter', reason: 'no replica has the mark' }
        const receipt = await sink.perform({ key: message.key, payload: message.payload })
        return { status: 'done', result: receipt }
      },
      close: () => client.disconnect(),
    }
  },
})
