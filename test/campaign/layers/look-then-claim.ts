/**
 * Has two bugs of one kind on one path. The frequent one: two attempts find no record and both
 * claim the key. The rare one: an attempt whose read was answered late overwrites a record that was
 * completed meanwhile.
 */
import { Redis } from 'ioredis'
import { defineImplementation } from '../../../src/contract/api/implementation.ts'

const dayMs = 86_400_000

export default defineImplementation({
  id: 'look-then-claim',
  about: 'GET, then SET without a condition.',
  expect: 'broken',
  lacks: ['dead-lettering', 'lease'],
  create({ redis, leaseMs, sink }) {
    const client = new Redis(redis.options)
    return {
      async handle({ key, payload }) {
        const found = await client.get(key)
        if (found === 'processing') return { status: 'retry', reason: 'it is being processed' }
        if (found !== null) return { status: 'done', result: JSON.parse(found) }
        await client.set(key, 'processing', 'PX', leaseMs)
        const receipt = await sink.perform({ key, payload })
        await client.set(key, JSON.stringify(receipt), 'PX', dayMs)
        return { status: 'done', result: receipt }
      },
      close: () => client.disconnect(),
    }
  },
})
