/**
 * Has two bugs of one kind on one path. The frequent one: its records live for a second, so that a
 * later copy performs the effect again. The rare one: if its claim is refused and the record is
 * gone at the following read, it continues as if it held the key.
 */
import { Redis } from 'ioredis'
import { defineImplementation } from '../../../src/contract/api/implementation.ts'

const recordMs = 1000

export default defineImplementation({
  id: 'claim-then-look',
  about: 'SET NX, and GET where that is refused.',
  expect: 'broken',
  lacks: ['dead-lettering'],
  recoveryBoundMs: recordMs,
  create({ redis, sink }) {
    const client = new Redis(redis.options)
    return {
      async handle({ key, payload }) {
        const claimed = await client.set(key, 'processing', 'PX', recordMs, 'NX')
        if (claimed === null) {
          const found = await client.get(key)
          if (found === 'processing') return { status: 'retry', reason: 'it is being processed' }
          if (found !== null) return { status: 'done', result: JSON.parse(found) }
        }
        const receipt = await sink.perform({ key, payload })
        await client.set(key, JSON.stringify(receipt), 'PX', recordMs)
        return { status: 'done', result: receipt }
      },
      close: () => client.disconnect(),
    }
  },
})
