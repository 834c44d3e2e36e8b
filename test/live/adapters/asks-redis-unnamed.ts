/** Uses Redis, but declares only PostgreSQL. */
import { Redis } from 'ioredis'
import { defineImplementation } from '../../../src/contract/api/implementation.ts'

export default defineImplementation({
  id: 'asks-redis-unnamed',
  stores: ['postgres'],
  create(context) {
    return {
      async handle({ key, payload }) {
        const redis = new Redis(context.redis.options)
        await redis.set(key, 'taken', 'NX')
        await context.sink.perform({ key, payload })
        return { status: 'done', result: null }
      },
    }
  },
})
