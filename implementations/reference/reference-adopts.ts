/**
 * The reference with its entry point `adopt`, during traffic: each deployment and restart states
 * again that no effect was performed for messages produced from now on. That is always true, and
 * leaves used buckets alone. `now` is Redis's own time, because an operator's clock may be wrong.
 */
import { Redis, type RedisOptions } from 'ioredis'
import { defineImplementation } from '../../src/contract/api/implementation.ts'
import { isSinkRefusal } from '../../src/contract/api/sink.ts'
import { adopt, createOnce } from '../../src/impl/once.ts'
import { guarding } from './parts/guarding.ts'
import { optionsOf, placeOf } from './parts/options.ts'
import reference from './reference.ts'

export default defineImplementation({
  ...reference,
  id: 'reference-adopts',
  about: 'The reference with `adopt` during traffic: each process and each delivery vouches for the time from now on.',
  // Any node of a Cluster may answer TIME.
  shapes: ['single', 'sentinel'],
  create(context) {
    const { redis, sink } = context
    const once = createOnce({ ...optionsOf(context), isRefusal: isSinkRefusal })
    const clock = new Redis({ ...(redis.options as RedisOptions), replyMapping: 'legacy', maxRetriesPerRequest: 0 })
    clock.on('error', () => {})
    const layer = guarding(once, sink)
    /** True while an adoption is in progress. Its result only matters to the operator. */
    let underWay = false
    const vouch = async () => {
      if (underWay) return
      underWay = true
      try {
        const [seconds, microseconds] = await clock.time()
        const since = Number(seconds) * 1000 + Math.floor(Number(microseconds) / 1000)
        await adopt({ ...placeOf(redis), since })
      } catch {
        // Redis did not answer TIME.
      } finally {
        underWay = false
      }
    }
    void vouch()
    return {
      handle(message) {
        void vouch()
        return layer.handle(message)
      },
      close() {
        clock.disconnect()
        return layer.close()
      },
    }
  },
})
