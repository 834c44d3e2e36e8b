/** The reference with given connections and a given number of buckets. */
import type { Implementation, RedisAddress } from '../../../src/contract/api/implementation.ts'
import { isSinkRefusal } from '../../../src/contract/api/sink.ts'
import { adopt, createOnce, type RedisAt } from '../../../src/impl/once.ts'
import { guarding } from './guarding.ts'
import { optionsOf } from './options.ts'

export function guardedAt(
  placed: (redis: RedisAddress) => { readonly redis: RedisAt; readonly buckets: number },
): Required<Pick<Implementation, 'deploy' | 'create'>> {
  return {
    /** Adopts with `since: 0`, because no effect was ever performed before. */
    async deploy({ redis }) {
      const adopted = await adopt({ ...placed(redis), since: 0 })
      if (adopted.status !== 'adopted') throw new Error(`not adopted: ${adopted.status}`)
    },
    create(context) {
      const { sink, redis } = context
      const once = createOnce({ ...optionsOf(context), ...placed(redis), isRefusal: isSinkRefusal })
      return guarding(once, sink)
    },
  }
}
