/** Article 001's check-then-act, edited so that it asks and never acts. */
import { Redis } from 'ioredis'
import { defineImplementation } from '../../../src/contract/api/implementation.ts'

export default defineImplementation({
  id: 'waits-for-ever',
  about: 'GET a mark, and nothing more.',
  create({ redis }) {
    const client = new Redis(redis.options)
    return {
      async handle(message) {
        await client.get(`idempotency:${message.key}`)
        return new Promise(() => {})
      },
      close: () => client.disconnect(),
    }
  },
})
