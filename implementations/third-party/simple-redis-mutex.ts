/**
 * Library: simple-redis-mutex
 * Promises: a distributed mutex on one Redis; Pub/Sub announces a release; fencing tokens order its
 *   holders.
 * Said in: its readme (3.0.0): introduction, "lock", "Fencing Token".
 * Used: `lock` on node-redis 6 with the default options: `timeout` 30 s, `pollingInterval` 10 s and
 *   no `failAfter`, so it waits without limit. The timeout is not refreshed. A plain sink has no
 *   use for the fencing token. The adapter stores a mark for each finished message while it holds
 *   the lock.
 * Left:
 * - crash, beyond: a lock names its holder and records no finished work; a holder that dies after
 *   the effect has not set the mark (readme, "lock": the timeout is for processes that crash).
 * - pause, beyond: the work continues after the timeout, and the readme's answer is a sink that
 *   compares fencing tokens (readme, "Fencing Token").
 * - Redis clock, beyond: a jump of Redis's clock ends the lock before its timeout; the readme calls
 *   the timeout a safety net (readme, "lock").
 * - loss, beyond: the readme leaves several servers to Redlock (readme, introduction), and this
 *   server came back without the lock and the mark.
 * - expiry, beyond: the adapter's mark expires with the retention; the readme has no marks.
 */
import { createClient } from 'redis'
import { lock } from 'simple-redis-mutex'
import { defineImplementation } from '../../src/contract/api/implementation.ts'
import { onceUnderLock } from './parts/once-under-lock.ts'

export default defineImplementation({
  id: 'simple-redis-mutex',
  about: 'A lock by simple-redis-mutex, held for 30 seconds, around a GET and a SET of a mark.',
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
