/** A layer on node-redis 4 that reads the key and then writes it. */
import { createClient } from 'redis4'
import { defineImplementation } from '../../../../src/contract/api/implementation.ts'

export default defineImplementation({
  id: 'look-then-write',
  recoveryBoundMs: 60_000,
  lacks: ['stored-result', 'dead-lettering', 'lease'],
  async create({ redis, sink }) {
    const client = createClient({ url: redis.url })
    client.on('error', () => {})
    await client.connect()
    return {
      async handle({ key, payload }) {
        if ((await client.get(key)) !== null) return { status: 'done', result: null, resultKept: false }
        await client.set(key, '1')
        return { status: 'done', result: (await sink.perform({ key, payload })) ?? null }
      },
      close: () => client.disconnect(),
    }
  },
})
