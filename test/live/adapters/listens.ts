/** The check-then-act layer of article 001, on a client that also subscribes to a channel. */
import { Redis } from 'ioredis'
import { defineImplementation, type Implementation } from '../../../src/contract/api/implementation.ts'

export const listening = (id: string, before: () => Promise<void>): Implementation =>
  defineImplementation({
    id,
    about: 'Subscribe; GET a mark, perform the effect, SET the mark.',
    async create({ redis, sink }) {
      const [client, subscriber] = [new Redis(redis.options), new Redis(redis.options)]
      await subscriber.subscribe('orders')
      return {
        async handle(message) {
          const mark = `idempotency:${message.key}`
          if (await client.get(mark)) return { status: 'done', result: null }
          await before()
          const receipt = await sink.perform({ key: message.key, payload: message.payload })
          await client.set(mark, '1', 'EX', 86_400)
          return { status: 'done', result: receipt }
        },
        close: () => client.disconnect(),
      }
    },
  })

export default listening('listens', async () => {})
