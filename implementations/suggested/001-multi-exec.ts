/**
 * Article 001, "Multi-State Management": why MULTI and EXEC do not replace the script. A
 * transaction of Redis is atomic, but its commands are queued before the first one is executed, so
 * a SET in it cannot depend on a GET in it.
 *
 * Decided here, because the article prints no code: GET and SET PROCESSING in one transaction, as
 * printed for its script, and the reply of the GET decides. The SET has then overwritten whatever
 * the GET has found.
 */
import { Redis } from 'ioredis'
import { defineImplementation } from '../../src/contract/api/implementation.ts'

const lockSeconds = 3600
const recordSeconds = 86_400

export default defineImplementation({
  id: '001-multi-exec',
  about: 'GET and SET PROCESSING in one MULTI, and the reply of the GET decides (article 001, why it has a script).',
  expect: 'broken',
  recoveryBoundMs: lockSeconds * 1000,
  sinks: ['plain', 'keyed'],
  lacks: ['stored-result', 'dead-lettering'],
  create({ redis, sink }) {
    const client = new Redis(redis.options)
    return {
      async handle({ key, payload }) {
        const name = `idempotency:v2:producer:${key}`
        const replies = await client.multi().get(name).set(name, 'PROCESSING', 'EX', lockSeconds).exec()
        const [[failure, found]] = replies as [[Error | null, string | null]]
        if (failure) throw failure
        if (found === 'COMPLETED') return { status: 'done', result: null }
        if (found !== null) return { status: 'retry', reason: 'another consumer holds the key' }
        try {
          const receipt = await sink.perform({ key, payload })
          await client.set(name, 'COMPLETED', 'EX', recordSeconds)
          return { status: 'done', result: receipt }
        } catch (error) {
          await client.del(name)
          throw error
        }
      },
      close: () => client.disconnect(),
    }
  },
})
