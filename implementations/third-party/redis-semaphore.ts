import { Redis } from 'ioredis'
import { Mutex } from 'redis-semaphore'
import { defineImplementation } from '../../src/contract/implementation.ts'
import { ioredisMarks } from './parts/ioredis-marks.ts'
import { onceUnderLock } from './parts/once-under-lock.ts'

export default defineImplementation({
  id: 'redis-semaphore',
  about: 'A mutex by redis-semaphore that refreshes itself, around a mark that is looked for and set.',
  create(context) {
    const client = new Redis(context.redis.options)
    return {
      handle: onceUnderLock(
        async (key, work) => {
          const mutex = new Mutex(client, key)
          await mutex.acquire()
          try {
            return await work(() => {})
          } finally {
            await mutex.release()
          }
        },
        ioredisMarks(client),
        context,
      ),
      close: () => client.disconnect(),
    }
  },
})
