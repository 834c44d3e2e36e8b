/** The holder wakes a waiter up as it gives the lock back: one that dies does neither. */
import { Redis } from 'ioredis'
import type { CreateContext, Handler } from '../../../../src/contract/api/implementation.ts'

/** `waitsS`: for how many seconds before it looks again; 0: for good. */
export function waiterOfTheDead(waitsS: number) {
  return ({ redis, leaseMs, sink }: CreateContext): Handler => {
    const client = new Redis(redis.options)
    const waiter = new Redis(redis.options)
    for (const one of [client, waiter]) one.on('error', () => {})
    return {
      async handle({ key, payload }) {
        const [lock, freed] = [`lock:${key}`, `freed:${key}`]
        while ((await client.set(lock, '1', 'PX', leaseMs, 'NX')) === null) await waiter.blpop(freed, waitsS)
        const result = await sink.perform({ key, payload })
        await client.del(lock)
        await client.rpush(freed, '1')
        return { status: 'done', result }
      },
    }
  }
}
