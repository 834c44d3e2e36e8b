/** A pool of two connections. After an error, a connection is not returned, and a waiter hangs. */
import { Redis } from 'ioredis'
import type { CreateContext, Handler } from '../../../../src/contract/api/implementation.ts'

/** `givesBack`: returns connections in every case. */
export function drainedPool(givesBack: boolean) {
  return ({ redis, leaseMs, sink }: CreateContext): Handler => {
    const free = [1, 2].map(() => new Redis(redis.options))
    const waiting: ((client: Redis) => void)[] = []
    const take = async () => free.pop() ?? new Promise<Redis>((resolve) => waiting.push(resolve))
    const giveBack = (client: Redis) => (waiting.length > 0 ? waiting.shift()!(client) : free.push(client))
    return {
      async handle({ key, payload }) {
        const client = await take()
        let isBack = false
        try {
          await client.set(`seen:${key}`, '1', 'PX', leaseMs)
          const result = await sink.perform({ key, payload })
          giveBack(client)
          isBack = true
          return { status: 'done', result }
        } finally {
          if (givesBack && !isBack) giveBack(client)
        }
      },
    }
  }
}
