/** A delivery whose key is in work waits for a message of completion, which may already be over. */
import { Redis } from 'ioredis'
import type { CreateContext, Handler } from '../../../../src/contract/api/implementation.ts'

/** `looksAgain`: reads again after subscribing, which fixes it. */
export function lateSubscriber(looksAgain: boolean) {
  return ({ redis, leaseMs, retentionMs, sink }: CreateContext): Handler => {
    const client = new Redis(redis.options)
    const listener = new Redis(redis.options)
    for (const one of [client, listener]) one.on('error', () => {})
    return {
      async handle({ key, payload }) {
        const [record, lock, channel] = [`record:${key}`, `lock:${key}`, `done:${key}`]
        const stored = await client.get(record)
        if (stored !== null) return { status: 'done', result: JSON.parse(stored) }
        if ((await client.set(lock, '1', 'PX', leaseMs, 'NX')) === null) {
          const heard = new Promise<string>((resolve) =>
            listener.on('message', (name, text) => name === channel && resolve(text)),
          )
          await listener.subscribe(channel)
          const meanwhile = looksAgain ? await client.get(record) : null
          return { status: 'done', result: JSON.parse(meanwhile ?? (await heard)) }
        }
        const result = await sink.perform({ key, payload })
        await client.set(record, JSON.stringify(result), 'PX', 2 * retentionMs)
        await client.publish(channel, JSON.stringify(result))
        return { status: 'done', result }
      },
    }
  }
}
