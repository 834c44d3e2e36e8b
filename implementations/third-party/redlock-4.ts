import { Redis } from 'ioredis'
import Redlock from 'redlock4'
import { defineImplementation } from '../../src/contract/implementation.ts'
import { ioredisMarks } from './parts/ioredis-marks.ts'
import { onceUnderLock } from './parts/once-under-lock.ts'

export default defineImplementation({
  id: 'redlock-4',
  about: 'A lock by redlock 4, as long as the lease, around a mark that is looked for and set.',
  create(context) {
    const client = new Redis(context.redis.options)
    const redlock = new Redlock([client])
    return {
      handle: onceUnderLock(
        async (key, work) => {
          const lock = await redlock.lock(`locks:${key}`, context.leaseMs)
          try {
            return await work(() => {})
          } finally {
            // The README goes on, too: a lock that cannot be given back expires.
            await lock.unlock().catch(() => {})
          }
        },
        ioredisMarks(client),
        context,
      ),
      close: () => client.disconnect(),
    }
  },
})
