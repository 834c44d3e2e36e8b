/** The check-then-act layer of article 001, changed so that it checks and never acts. */
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
