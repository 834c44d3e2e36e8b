import { createLock } from '@microfleet/ioredis-lock'
import { Redis } from 'ioredis5'
import { defineImplementation } from '../../src/contract/implementation.ts'
import { ioredisMarks } from './parts/ioredis-marks.ts'
import { onceUnderLock } from './parts/once-under-lock.ts'

export default defineImplementation({
  id: 'ioredis-lock',
  about: 'A lock by @microfleet/ioredis-lock, held for 10 seconds, around a mark that is looked for and set.',
  create(context) {
    const client = new Redis(context.redis.options)
    return {
      handle: onceUnderLock(
        async (key, work) => {
          // Its types name the ioredis that it finds here, which is a later one than it is for.
          const lock = createLock(client as never)
          await lock.acquire(`lock:${key}`)
          try {
            return await work(() => {})
          } finally {
            // As in the README: a lock that could not be given back has ended, or will.
            await lock.release().catch(() => {})
          }
        },
        ioredisMarks(client),
        context,
      ),
      close: () => client.disconnect(),
    }
  },
})
