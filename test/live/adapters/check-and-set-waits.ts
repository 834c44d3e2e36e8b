/** `002-check-and-set`, changed so that it holds: a claim counts once a replica has it. */
import { Cluster } from 'ioredis'
import { defineImplementation } from '../../../src/contract/api/implementation.ts'

export default defineImplementation({
  id: '002-check-and-set',
  about: 'SET NX a claim, WAIT for a replica, then perform the effect.',
  shapes: ['cluster'],
  create({ redis, sink }) {
    const client = new Cluster([...redis.nodes])
    return {
      async handle({ key, payload }) {
        const name = `idempotency:v1:${key}`
        if ((await client.set(name, 'PROCESSING', 'EX', 300, 'NX')) === null) return { status: 'done', result: null }
        if ((await client.wait(1, 100)) < 1) return { status: 'dead-letter', reason: 'no replica has the claim' }
        const receipt = await sink.perform({ key, payload })
        return { status: 'done', result: receipt }
      },
      close: () => client.disconnect(),
    }
  },
})
