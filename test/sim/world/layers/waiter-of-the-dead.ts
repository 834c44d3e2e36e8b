/** A holder wakes a waiter when it releases the lock. A dead holder does neither. */
import { Redis } from 'ioredis'
import type { CreateContext, Handler } from '../../../../src/contract/api/implementation.ts'

/** `waitsS`: how many seconds a waiter waits before it checks again; 0: forever. */
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
