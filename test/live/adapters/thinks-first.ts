/**
 * The check-then-act layer of article 001, changed so that it computes between check and act, in a
 * thread that neither timers nor sockets show.
 */
import { pbkdf2 } from 'node:crypto'
import { promisify } from 'node:util'
import { Redis } from 'ioredis'
import { defineImplementation } from '../../../src/contract/api/implementation.ts'

export default defineImplementation({
  id: 'thinks-first',
  about: 'GET a mark, think for a while, perform the effect, SET the mark.',
  create({ redis, sink }) {
    const client = new Redis(redis.options)
    return {
      async handle(message) {
        const mark = `idempotency:${message.key}`
        if (await client.get(mark)) return { status: 'done', result: null }
        await promisify(pbkdf2)(message.key, 'salt', 1_000_000, 64, 'sha512')
        const receipt = await sink.perform({ key: message.key, payload: message.payload })
        await client.set(mark, '1', 'EX', 86_400)
        return { status: 'done', result: receipt }
      },
      close: () => client.disconnect(),
    }
  },
})
