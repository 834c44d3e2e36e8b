import { createClient } from 'redis'
import { lock } from 'simple-redis-mutex'
import { defineImplementation } from '../../src/contract/implementation.ts'
import { onceUnderLock } from './parts/once-under-lock.ts'

export default defineImplementation({
  id: 'simple-redis-mutex',
  about: 'A lock by simple-redis-mutex, held for 30 seconds, around a mark that is looked for and set.',
  shapes: ['single'],
  async create(context) {
    const client = createClient({ url: context.redis.url })
    client.on('error', () => {})
    await client.connect()
    const marks = {
      get: (name: string) => client.get(name),
      set: (name: string, value: string, expiryMs: number) => client.set(name, value, { PX: expiryMs }),
    }
    const handle = onceUnderLock(
      async (key, work) => {
        const release = await lock(client, `lock:${key}`)
        try {
          return await work(() => {})
        } finally {
          await release()
        }
      },
      marks,
      context,
    )
    return { handle, close: () => client.destroy() }
  },
})
