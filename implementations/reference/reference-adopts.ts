/**
 * The reference by its entry point `adopt`, beside traffic: a step of every deployment and restart says again that nothing was
 * performed for what is produced from now on. That is true at any time, and leaves alone what is in use. `now` is Redis's
 * own, since an operator's clock may be wrong.
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
  // Which node of a Cluster answers TIME is nobody's choice.
  shapes: ['single', 'sentinel'],
  create(context) {
    const { redis, sink } = context
    const once = createOnce({ ...optionsOf(context), isRefusal: isSinkRefusal })
    const clock = new Redis({ ...(redis.options as RedisOptions), replyMapping: 'legacy', maxRetriesPerRequest: 0 })
    clock.on('error', () => {})
    const layer = guarding(once, sink)
    /** One at a time, and what comes of it is the operator's business alone. */
    let underWay = false
    const vouch = async () => {
      if (underWay) return
      underWay = true
      try {
        const [seconds, microseconds] = await clock.time()
        const since = Number(seconds) * 1000 + Math.floor(Number(microseconds) / 1000)
        await adopt({ ...placeOf(redis), since })
      } catch {
        // Redis was not there to say what time it is.
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
